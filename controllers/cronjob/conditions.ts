/** The conditions Available, Progressing, Degraded and Overdue. */
import { getCondition, setCondition } from 'controller-runtime/kubernetes';
import { formatTime, isAfter, latest, parseTime, wholeSeconds } from '../../api/time.ts';
import type { Condition, CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL, RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CONDITION_REASONS, type ConditionType } from '../../api/v1/reasons.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { failedStartMessage, waitingJobs } from './decide.ts';
import type { Facts } from './facts.ts';
import type { Pass } from './slot-outcome.ts';
import { deadlineMs, passedSuspendUntil } from './slots.ts';

/** The pass and the status that it will store, without conditions. */
interface ConditionInput extends Pass {
  readonly status: CronJobStatus;
}

/**
 * The conditions after a pass. Conditions of other types, which another client has set, stay as they are.
 * @param status The status that the pass will store, without conditions.
 */
export function conditionsAfter(pass: Pass, status: CronJobStatus): readonly Condition[] {
  const input = { ...pass, status };
  const { now, status: stored } = pass.facts;
  const { observedGeneration } = status;
  const { conditions: before = [] } = stored;
  const overdue = overdueFinding(input);
  const findings = {
    Available: availableFinding(input),
    Progressing: progressingFinding(input),
    Degraded: degradedFinding(input),
    ...(overdue && { Overdue: overdue }),
  };
  const ours = Object.entries(findings).flatMap(([type, { isTrue, reason, message }]) => {
    // A condition with an unparsable time does not keep its time.
    const known = before.find((each) => each.type === type && parseTime(each.lastTransitionTime) !== undefined);
    const finding = { type, status: isTrue ? 'True' : 'False', reason, message, observedGeneration } as const;
    return setCondition(known && [known], finding, now);
  });
  return [...ours, ...before.filter(({ type }) => !Object.hasOwn(CONDITION_REASONS, type))];
}

/** The content of a condition, without its time. */
type Finding<Type extends ConditionType> = {
  readonly isTrue: boolean;
  readonly reason: keyof (typeof CONDITION_REASONS)[Type];
  readonly message: string;
};

function availableFinding({ facts: { cronJob, parsed, isSuspended }, status }: ConditionInput): Finding<'Available'> {
  if (parsed.kind === 'invalid') return { isTrue: false, reason: parsed.reason, message: parsed.message };
  if (isSuspended) return { isTrue: false, reason: 'Suspended', message: suspendedMessage(cronJob.spec) };
  if (status.paused) return { isTrue: false, reason: 'Paused', message: pausedMessage(cronJob, status) };
  const isActive = hasActive(status);
  const message = isActive ? activeJobsMessage(status) : 'no run is active';
  return { isTrue: true, reason: isActive ? 'JobsActive' : 'AllJobsCompleted', message };
}

function suspendedMessage({ suspend, suspendUntil }: CronJobSpec): string {
  return suspend ? 'spec.suspend is true' : `spec.suspendUntil is ${suspendUntil}`;
}

/** The message of the condition and of the event. */
export function pausedMessage({ metadata, spec }: CronJob, { consecutiveFailures }: CronJobStatus): string {
  const resume = `kubectl annotate ${PLURAL}.${GROUP} ${metadata.name} --namespace ${metadata.namespace} --overwrite ${RESUME_ANNOTATION}="$(date)"`;
  const failed = consecutiveFailures === 1 ? '1 run has failed' : `${consecutiveFailures} runs in a row have failed`;
  return `${failed} (spec.pauseAfterFailures: ${spec.pauseAfterFailures}), and no more start. Fix the cause, then resume: ${resume}`;
}

function overdueFinding({ facts, status }: ConditionInput): Finding<'Overdue'> | undefined {
  const { expectSuccessWithinSeconds: seconds } = facts.cronJob.spec;
  if (seconds === undefined) return undefined;
  if (facts.isSuspended) {
    return { isTrue: false, reason: 'Suspended', message: suspendedMessage(facts.cronJob.spec) };
  }
  const at = overdueAt(facts, status);
  if (at === undefined || isAfter(at, facts.now)) {
    return { isTrue: false, reason: 'AsExpected', message: 'a success is not overdue' };
  }
  const since =
    status.lastSuccessfulTime === undefined
      ? 'no run has succeeded'
      : `the last success was at ${status.lastSuccessfulTime}`;
  return {
    isTrue: true,
    reason: 'NoRecentSuccess',
    message: `${since}; spec.expectSuccessWithinSeconds is ${seconds}`,
  };
}

function progressingFinding({ facts, decision, status }: ConditionInput): Finding<'Progressing'> {
  if (!hasActive(status)) return { isTrue: false, reason: 'NoJobsActive', message: 'no run is active' };
  const waiting = waitingJobs(facts, decision);
  const waits =
    waiting.length === 0 ? '' : `; ${waiting.join(', then ')} will start after that (concurrencyPolicy Forbid)`;
  return { isTrue: true, reason: 'JobsActive', message: `${activeJobsMessage(status)}${waits}` };
}

function hasActive({ activeCount = 0 }: CronJobStatus): boolean {
  return activeCount > 0;
}

function activeJobsMessage({ activeCount }: CronJobStatus): string {
  return activeCount === 1 ? '1 Job is active' : `${activeCount} Jobs are active`;
}

type Degraded = Finding<'Degraded'>;

const AS_EXPECTED: Degraded = { isTrue: false, reason: 'AsExpected', message: 'nothing is wrong' };

/** The first problem that holds, in the order of {@link CONDITION_REASONS}. */
function degradedFinding(input: ConditionInput): Degraded {
  return (
    invalidSchedule(input) ??
    neverFires(input) ??
    clockSkew(input) ??
    failedCreate(input) ??
    tooManyMissed(input) ??
    lastRunFailed(input) ??
    AS_EXPECTED
  );
}

function degradedWith(reason: Degraded['reason'], message: string): Degraded {
  return { isTrue: true, reason, message };
}

function invalidSchedule({ facts: { parsed } }: ConditionInput): Degraded | undefined {
  return parsed.kind === 'invalid' ? degradedWith(parsed.reason, parsed.message) : undefined;
}

/** Whether the schedule never fires. False while suspended, because users suspend a schedule that never fires. */
function neverFires({ facts: { cronJob, parsed, next, now } }: ConditionInput): Degraded | undefined {
  const { spec } = cronJob;
  if (spec.suspend) return undefined;
  if (deadlineMs(spec) === 0) {
    return degradedWith(
      'NeverFires',
      'spec.startingDeadlineSeconds: 0: every run is too late to start; raise it or leave it out',
    );
  }
  if (next !== undefined || parsed.kind === 'invalid' || parsed.schedule.next(now) !== undefined) return undefined;
  return degradedWith(
    'NeverFires',
    `spec.schedule: ${JSON.stringify(spec.schedule)}: matches no time within five years`,
  );
}

/** The clocks of a cluster differ a little; only a larger difference is reported. */
const TOLERATED_SKEW_MS = 60_000;

function clockSkew({ facts, status }: ConditionInput): Degraded | undefined {
  const { metadata } = facts.cronJob;
  const ahead = findFutureTime(status, facts.now);
  if (ahead === undefined) return undefined;
  const fix = `kubectl edit ${PLURAL}.${GROUP} ${metadata.name} --namespace ${metadata.namespace} --subresource=status`;
  return degradedWith(
    'ClockSkew',
    `status.${ahead.field}: ${formatTime(ahead.time)} is ahead of the clock; no run starts up to the times that the status ` +
      `records as handled. If the clock is right, fix the status: ${fix}`,
  );
}

/**
 * When the time that {@link clockSkew} names is no longer ahead, if the clock is not corrected; `undefined` when no time is ahead.
 */
export function skewEnd(status: CronJobStatus, now: Date): Date | undefined {
  const ahead = findFutureTime(status, now);
  return ahead && new Date(ahead.time.getTime() - TOLERATED_SKEW_MS);
}

/** The first field whose time is ahead of the clock. */
function findFutureTime(status: CronJobStatus, now: Date): { readonly field: string; readonly time: Date } | undefined {
  const limit = new Date(now.getTime() + TOLERATED_SKEW_MS);
  for (const { field, timeIn } of TIMES) {
    const time = timeIn(status);
    if (time !== undefined && isAfter(time, limit)) return { field, time };
  }
  return undefined;
}

interface TimeField {
  readonly field: string;
  readonly timeIn: (status: CronJobStatus) => Date | undefined;
}

/** The fields that a correct clock never sets ahead of the current time. */
const TIMES: readonly TimeField[] = [
  { field: 'lastScheduleTime', timeIn: ({ lastScheduleTime }) => parseTime(lastScheduleTime) },
  { field: 'handledThrough', timeIn: ({ handledThrough }) => parseTime(handledThrough) },
  { field: 'effectiveSchedule.since', timeIn: ({ effectiveSchedule }) => parseTime(effectiveSchedule?.since) },
  { field: 'lastSuccessfulTime', timeIn: ({ lastSuccessfulTime }) => parseTime(lastSuccessfulTime) },
  { field: 'lastFailureTime', timeIn: ({ lastFailureTime }) => parseTime(lastFailureTime) },
  // With future entries, the list would not show the runs before them.
  { field: 'recentRuns', timeIn: ({ recentRuns }) => parseRecentRun(recentRuns?.[0] ?? '')?.createdTime },
];

function failedCreate({ status: { failedStart } }: ConditionInput): Degraded | undefined {
  return failedStart && degradedWith('FailedCreate', failedStartMessage(failedStart));
}

function tooManyMissed({ facts, decision, status }: ConditionInput): Degraded | undefined {
  const isNew = decision.kind === 'TooManyMissed' && !facts.isResuming;
  const wasReported = getCondition(facts.status.conditions, 'Degraded')?.reason === 'TooManyMissedTimes';
  if (!isNew && (!wasReported || hasStartedSince(facts.status, status))) return undefined;
  return degradedWith(
    'TooManyMissedTimes',
    'more than 100 runs were missed, and none of them starts late; set or decrease ' +
      'spec.startingDeadlineSeconds, or check the clock',
  );
}

/** Whether `status` has a run that the status before the pass does not have. */
export function hasStartedSince(before: CronJobStatus, status: CronJobStatus): boolean {
  return status.lastScheduleTime !== before.lastScheduleTime || status.lastManualRun !== before.lastManualRun;
}

function lastRunFailed({ status }: ConditionInput): Degraded | undefined {
  const { lastRun } = status;
  // Its Job has no finish time, so lastFailureTime does not record it.
  if (lastRun?.result === 'Failed' && lastRun.completionTime === undefined) {
    return degradedWith('LastRunFailed', `run ${lastRun.jobName} failed`);
  }
  const failed = parseTime(status.lastFailureTime);
  const succeeded = parseTime(status.lastSuccessfulTime);
  if (failed === undefined || (succeeded !== undefined && succeeded >= failed)) return undefined;
  return degradedWith('LastRunFailed', `a run failed at ${status.lastFailureTime} and none has succeeded since`);
}

/** 300 years. A longer expectation counts as unset, because a Date could not hold its end. */
const MAX_SECONDS = 300 * 366 * 86_400;

/**
 * `status.successExpectedSince` after a pass; `undefined` when no success is expected, or when the last success is enough to
 * compute when the next one is overdue.
 */
export function successExpectedSince(facts: Facts, lastSuccess: Date | undefined): Date | undefined {
  const since = computeExpectedSince(facts, lastSuccess);
  const { spec } = facts.cronJob;
  const isWanted = spec.expectSuccessWithinSeconds !== undefined && !facts.isSuspended;
  const until = isWanted ? passedSuspendUntil(spec, facts.now) : undefined;
  // No success was expected up to this time, even if no status that says so could be stored.
  return until !== undefined && latest(since, lastSuccess, until) === until ? until : since;
}

function computeExpectedSince(
  { cronJob, status, now, isSuspended }: Facts,
  lastSuccess: Date | undefined,
): Date | undefined {
  if (cronJob.spec.expectSuccessWithinSeconds === undefined) return undefined;
  const isLifted = !isSuspended && getCondition(status.conditions, 'Overdue')?.reason === 'Suspended';
  if (isLifted) return endOfSuspendUntil({ cronJob, status }) ?? wholeSeconds(now);
  const since = parseTime(status.successExpectedSince);
  const isFirst = status.observedGeneration === undefined;
  const created = isFirst ? parseTime(cronJob.metadata.creationTimestamp) : undefined;
  // A time further ahead comes from a wrong clock or was set by hand. It would silence the alarm until then.
  const latestMs = now.getTime() + TOLERATED_SKEW_MS;
  const known = [since, created].find((time) => time !== undefined && time.getTime() <= latestMs);
  return known ?? (isFirst || since !== undefined || lastSuccess === undefined ? wholeSeconds(now) : undefined);
}

/** `suspendUntil` if it suspended the CronJob and has passed. */
function endOfSuspendUntil({ cronJob: { spec }, status }: Pick<Facts, 'cronJob' | 'status'>): Date | undefined {
  return status.suspendedUntil === spec.suspendUntil ? parseTime(spec.suspendUntil) : undefined;
}

/**
 * When a success is overdue, with `status` as the pass will store it; `undefined` when no success is expected. A time ahead of now
 * counts as now.
 */
export function overdueAt({ cronJob: { spec }, now, isSuspended }: Facts, status: CronJobStatus): Date | undefined {
  const { expectSuccessWithinSeconds: seconds } = spec;
  if (seconds === undefined || seconds > MAX_SECONDS || isSuspended) return undefined;
  const since = latest(parseTime(status.lastSuccessfulTime), parseTime(status.successExpectedSince));
  const sinceMs = Math.min(since?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
  return new Date(sinceMs + seconds * 1000);
}
