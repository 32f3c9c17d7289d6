/** Rules for each status that the manager writes. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { listAllowedDegraded } from './degraded-rules.ts';
import {
  findBrokenRules,
  getDeadlineMs,
  getScheduleKey,
  getStoredScheduleKey,
  hasEnded,
  isBeingDeleted,
  isSameInstant,
  isSuspendedAt,
  manualJobName,
  nextAfter,
  parseInstant,
} from './facts.ts';
import { checkHandledThrough, type ObservedStatusWrite } from './handled-rules.ts';
import type { DelayedSlots } from './jitter.ts';
import { checkPause } from './pause-rules.ts';
import { checkRecentRuns } from './run-rules.ts';
import { checkRecentSkips } from './skip-rules.ts';
import { checkSuspensionAndSuccess } from './suspension-rules.ts';

const TIMES = ['lastScheduleTime', 'lastSuccessfulTime', 'lastFailureTime', 'handledThrough', 'since'] as const;

/** Returns the broken rules. */
export function checkStatus(write: ObservedStatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const schedule = ledger.getSlots(base, now);
  const isStopped =
    base.spec.suspend || isBeingDeleted(base) || getDeadlineMs(base) === 0 || status.paused !== undefined;
  const through = schedule?.startedThrough(now) ?? now;
  const next = isStopped ? undefined : schedule?.next(nextAfter({ spec: base.spec, status }, through));
  const start = base.spec.jitterSeconds === undefined ? undefined : next && schedule?.startOf(next);
  return [
    ...findBrokenRules({
      'observedGeneration is that of the spec': status.observedGeneration === base.metadata.generation,
      'nextScheduleTime is the next slot': isSameInstant(next, parseInstant(status.nextScheduleTime)),
      'nextStartTime is the start of the next slot': isSameInstant(start, parseInstant(status.nextStartTime)),
    }),
    ...checkTimesNeverDecrease(write),
    ...checkRecordedTimes(write),
    ...checkEffectiveSchedule(write),
    ...checkHandledThrough(write, schedule),
    ...checkManualValue(write),
    ...checkConditions(write),
    ...(ledger.wasPruned ? [] : checkFeatureStatus(write, schedule)),
  ];
}

/** Rules for recent runs, recent skips, pauses, suspensions and expected successes. */
function checkFeatureStatus(write: ObservedStatusWrite, schedule: DelayedSlots | undefined): readonly string[] {
  return [
    ...checkRecentRuns(write),
    ...checkRecentSkips(write, schedule),
    ...checkPause(write),
    ...checkSuspensionAndSuccess(write),
  ];
}

function checkTimesNeverDecrease({ base, status }: ObservedStatusWrite): readonly string[] {
  const collectTimes = (source: Partial<CronJobStatus> = {}) => ({ ...source, since: source.effectiveSchedule?.since });
  const [before, after] = [collectTimes(base.status), collectTimes(status)];
  return TIMES.filter((time) => (after[time] ?? '') < (before[time] ?? '')).map((time) => `${time} never moves back`);
}

/** The status reports only what has happened. */
function checkRecordedTimes({ base, status, ledger }: ObservedStatusWrite): readonly string[] {
  const { lastScheduleTime, lastSuccessfulTime, lastFailureTime } = status;
  const slot = parseInstant(lastScheduleTime);
  const isNewSlot = lastScheduleTime !== base.status?.lastScheduleTime;
  const { Succeeded, Failed } = ledger.endings;
  return findBrokenRules({
    'lastScheduleTime is the slot of a run': !slot || !isNewSlot || ledger.getRun(slot) !== undefined,
    'lastSuccessfulTime is the end of a successful run': !lastSuccessfulTime || Succeeded.has(lastSuccessfulTime),
    'lastFailureTime is the end of a failed run': !lastFailureTime || Failed.has(lastFailureTime),
    'no time is null or the beginning of time': !/:null|"1970-/.test(JSON.stringify(status)),
  });
}

function checkEffectiveSchedule({ base, status, ledger, now }: ObservedStatusWrite): readonly string[] {
  return findBrokenRules({
    'effectiveSchedule is that of the spec': getStoredScheduleKey({ ...base, status }) === getScheduleKey(base),
    'effectiveSchedule.since is the time of the edit': isSameInstant(
      parseInstant(status.effectiveSchedule?.since),
      ledger.getExpectedSince(base, now),
    ),
  });
}

function checkManualValue({ base, status, ledger, isForeignName }: ObservedStatusWrite): readonly string[] {
  const value = status.lastManualRun;
  if (value === base.status?.lastManualRun) return [];
  if (value === undefined) return ['lastManualRun is not removed'];
  const hasRun = [...ledger.runs.values()].some((run) => run.value === value);
  const isFirst = base.status?.observedGeneration === undefined;
  return findBrokenRules({
    'lastManualRun is the value of the annotation': value === base.metadata.annotations?.[RUN_NOW_ANNOTATION],
    'a run-now value is handled by its run': hasRun || isFirst || isForeignName(manualJobName(base, value)),
  });
}

function checkConditions(write: ObservedStatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const formatCondition = (type: string) => {
    const { status: truth, reason } = status.conditions?.find((each) => each.type === type) ?? {};
    return `${truth} ${reason}`;
  };
  const active = status.active ?? [];
  const paused = status.paused ? 'Paused' : undefined;
  const suspended = isSuspendedAt(base.spec, now) ? 'Suspended' : paused;
  const ended = hasEnded(base.spec, now) ? 'Ended' : suspended;
  if (ended === 'Ended') write.reportEffect('ended');
  const unavailableReason = ledger.getInvalidReason(base, now) ?? ended;
  const availableReason = active.length > 0 ? 'True JobsActive' : 'True AllJobsCompleted';
  const available = unavailableReason === undefined ? availableReason : `False ${unavailableReason}`;
  const degraded = listAllowedDegraded(write);
  return findBrokenRules({
    [`Available is ${available}, not ${formatCondition('Available')}`]: formatCondition('Available') === available,
    'Progressing is True exactly with active Jobs':
      formatCondition('Progressing') === (active.length > 0 ? 'True JobsActive' : 'False NoJobsActive'),
    [`Degraded is ${degraded.join(' or ')}, not ${formatCondition('Degraded')}`]: degraded.includes(
      formatCondition('Degraded'),
    ),
    'activeCount is the number of active Jobs': status.activeCount === active.length,
  });
}
