/** Rules for each status that the manager writes. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { Slots } from './calendar.ts';
import { allowedDegraded } from './degraded-rules.ts';
import {
  broken,
  deadlineMsOf,
  instantOf,
  isGoing,
  isSuspendedAt,
  manualName,
  nextAfter,
  sameInstant,
} from './facts.ts';
import { pausing } from './pause-rules.ts';
import { recentRuns } from './run-rules.ts';
import { handledThrough, type StatusWrite } from './settled-rules.ts';
import { recentSkips } from './skip-rules.ts';
import { suspensionAndSuccess } from './suspension-rules.ts';

const TIMES = ['lastScheduleTime', 'lastSuccessfulTime', 'lastFailureTime', 'handledThrough', 'since'] as const;

/** Returns the broken rules. */
export function brokenByStatus(write: StatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const schedule = ledger.schedule(base, now);
  const isStopped = base.spec.suspend || isGoing(base) || deadlineMsOf(base) === 0 || status.paused !== undefined;
  const next = isStopped ? undefined : schedule?.next(nextAfter({ spec: base.spec, status }, now));
  return [
    ...broken({
      'observedGeneration is that of the spec': status.observedGeneration === base.metadata.generation,
      'nextScheduleTime is the next slot': sameInstant(next, instantOf(status.nextScheduleTime)),
    }),
    ...movedBack(write),
    ...madeUp(write),
    ...effectiveSchedule(write),
    ...handledThrough(write, schedule),
    ...manualValue(write),
    ...conditions(write),
    ...(ledger.wasPruned ? [] : ownAnswers(write, schedule)),
  ];
}

/** Rules for recent runs, recent skips, pauses, suspensions and expected successes. */
function ownAnswers(write: StatusWrite, schedule: Slots | undefined): readonly string[] {
  return [...recentRuns(write), ...recentSkips(write, schedule), ...pausing(write), ...suspensionAndSuccess(write)];
}

function movedBack({ base, status }: StatusWrite): readonly string[] {
  const timesOf = (whose: Partial<CronJobStatus> = {}) => ({ ...whose, since: whose.effectiveSchedule?.since });
  const [before, after] = [timesOf(base.status), timesOf(status)];
  return TIMES.filter((time) => (after[time] ?? '') < (before[time] ?? '')).map((time) => `${time} never moves back`);
}

/** The status reports only what has happened. */
function madeUp({ base, status, ledger }: StatusWrite): readonly string[] {
  const { lastScheduleTime, lastSuccessfulTime, lastFailureTime } = status;
  const slot = instantOf(lastScheduleTime);
  const isNewSlot = lastScheduleTime !== base.status?.lastScheduleTime;
  const { Succeeded, Failed } = ledger.endings;
  return broken({
    'lastScheduleTime is a slot that was started': !slot || !isNewSlot || ledger.runOfSlot(slot) !== undefined,
    'lastSuccessfulTime is when a run succeeded': !lastSuccessfulTime || Succeeded.has(lastSuccessfulTime),
    'lastFailureTime is when a run failed': !lastFailureTime || Failed.has(lastFailureTime),
    'no time is null or the beginning of time': !/:null|"1970-/.test(JSON.stringify(status)),
  });
}

function effectiveSchedule({ base, status, ledger, now }: StatusWrite): readonly string[] {
  const { schedule, timeZone = 'UTC' } = base.spec;
  const inForce = status.effectiveSchedule;
  return broken({
    'effectiveSchedule is the one in force': inForce?.schedule === schedule && inForce.timeZone === timeZone,
    'since is when the schedule was set': sameInstant(instantOf(inForce?.since), ledger.since(base, now)),
  });
}

function manualValue({ base, status, ledger, isNameOfOthers }: StatusWrite): readonly string[] {
  const value = status.lastManualRun;
  if (value === base.status?.lastManualRun) return [];
  if (value === undefined) return ['lastManualRun stays'];
  const isServed = [...ledger.runs.values()].some((run) => run.value === value);
  const isFirst = base.status?.observedGeneration === undefined;
  return broken({
    'lastManualRun is the value of the annotation': value === base.metadata.annotations?.[RUN_NOW_ANNOTATION],
    'a value is settled by its run': isServed || isFirst || isNameOfOthers(manualName(base, value)),
  });
}

function conditions(write: StatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const shown = (type: string) => {
    const { status: truth, reason } = status.conditions?.find((each) => each.type === type) ?? {};
    return `${truth} ${reason}`;
  };
  const active = status.active ?? [];
  const isSuspended = isSuspendedAt(base.spec, now);
  const paused = status.paused ? 'Paused' : undefined;
  const stopped = ledger.invalidReason(base) ?? (isSuspended ? 'Suspended' : paused);
  const going = active.length > 0 ? 'True JobsActive' : 'True AllJobsCompleted';
  const available = stopped === undefined ? going : `False ${stopped}`;
  const degraded = allowedDegraded(write);
  return broken({
    [`Available is ${available}, not ${shown('Available')}`]: shown('Available') === available,
    'Progressing is right': shown('Progressing') === (active.length > 0 ? 'True JobsActive' : 'False NoJobsActive'),
    [`Degraded is ${degraded.join(' or ')}, not ${shown('Degraded')}`]: degraded.includes(shown('Degraded')),
    'activeCount counts what is active': status.activeCount === active.length,
  });
}
