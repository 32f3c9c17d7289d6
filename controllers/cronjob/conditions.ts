/** Computes the conditions Available, Progressing, Degraded and Overdue. */
import { getCondition, setCondition } from 'controller-runtime/kubernetes';
import type { Timetable } from 'kubernetes-cron-schedule';
import { findLatest, formatTime, isAfter, parseTime, toWholeSeconds } from '../../api/time.ts';
import { formatWaitRule } from '../../api/v1/concurrency.ts';
import { MAX_SPAN_SECONDS } from '../../api/v1/cronjob-defaults.ts';
import type { Condition, CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL, RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CONDITION_REASONS, type ConditionType } from '../../api/v1/reasons.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { describeTerminatingPods, formatFailedStart, listWaitingJobNames } from './decide.ts';
import type { Facts } from './facts.ts';
import type { OutcomeInput } from './slot-outcome.ts';
import { findPassedSuspendUntil, getDeadlineMs } from './slots.ts';

interface ConditionInput extends OutcomeInput {
  readonly status: CronJobStatus;
}

/**
 * Returns the new conditions. Conditions that other clients have set stay as they are.
 * @param status The status that the reconcile will store, without conditions.
 */
export function computeConditions(input: OutcomeInput, status: CronJobStatus): readonly Condition[] {
  const conditionInput = { ...input, status };
  const { now, status: stored } = input.facts;
  const { observedGeneration } = status;
  const { conditions: storedConditions = [] } = stored;
  const toCondition = (type: ConditionType, fields: Pick<Condition, 'status' | 'reason' | 'message'>) => {
    const earlierCondition = getCondition(storedConditions, type);
    const isKept = earlierCondition && parseTime(earlierCondition.lastTransitionTime) !== undefined;
    return setCondition(isKept ? [earlierCondition] : [], { type, ...fields, observedGeneration }, now);
  };
  const overdue = computeOverdue(conditionInput);
  const ownConditions = [
    ...toCondition('Available', computeAvailable(conditionInput)),
    ...toCondition('Progressing', computeProgressing(conditionInput)),
    ...toCondition('Degraded', computeDegraded(conditionInput)),
    ...(overdue ? toCondition('Overdue', overdue) : []),
  ];
  return [...ownConditions, ...storedConditions.filter(({ type }) => !Object.hasOwn(CONDITION_REASONS, type))];
}

/** A condition without its type, generation and transition time. */
type ConditionFields<Type extends ConditionType> = Pick<Condition, 'status' | 'message'> & {
  readonly reason: keyof (typeof CONDITION_REASONS)[Type];
};

function computeAvailable({ facts, status }: ConditionInput): ConditionFields<'Available'> {
  const { cronJob, parsed, isSuspended, now } = facts;
  if (parsed.kind === 'invalid') return { status: 'False', reason: parsed.reason, message: parsed.message };
  if (hasEnded(cronJob.spec, now)) return { status: 'False', reason: 'Ended', message: describeEnd(cronJob.spec) };
  if (isSuspended) return { status: 'False', reason: 'Suspended', message: describeSuspension(cronJob.spec) };
  if (status.paused) return { status: 'False', reason: 'Paused', message: formatPausedMessage(cronJob, status) };
  const isActive = hasActiveJobs(status);
  const message = isActive ? formatActiveJobs(status) : 'no run is active';
  return { status: 'True', reason: isActive ? 'JobsActive' : 'AllJobsCompleted', message };
}

function hasEnded({ endTime }: CronJobSpec, now: Date): boolean {
  const end = parseTime(endTime);
  return end !== undefined && !isAfter(end, now);
}

function describeEnd({ endTime }: CronJobSpec): string {
  return `spec.endTime was ${endTime}`;
}

function describeSuspension({ suspend, suspendUntil }: CronJobSpec): string {
  return suspend ? 'spec.suspend is true' : `spec.suspendUntil is ${suspendUntil}`;
}

export function formatPausedMessage({ metadata, spec }: CronJob, { consecutiveFailures }: CronJobStatus): string {
  const resumeCommand = `kubectl annotate ${PLURAL}.${GROUP} ${metadata.name} --namespace ${metadata.namespace} --overwrite ${RESUME_ANNOTATION}="$(date)"`;
  const failurePhrase =
    consecutiveFailures === 1 ? '1 run has failed' : `${consecutiveFailures} runs in a row have failed`;
  return `${failurePhrase} (spec.pauseAfterFailures: ${spec.pauseAfterFailures}), and no more start. Fix the cause, then resume: ${resumeCommand}`;
}

function computeOverdue({ facts, status }: ConditionInput): ConditionFields<'Overdue'> | undefined {
  const { expectSuccessWithinSeconds: seconds } = facts.cronJob.spec;
  if (seconds === undefined) return undefined;
  if (facts.isSuspended) {
    return { status: 'False', reason: 'Suspended', message: describeSuspension(facts.cronJob.spec) };
  }
  const overdueTime = computeOverdueTime(facts, status);
  if (overdueTime === undefined || isAfter(overdueTime, facts.now)) {
    return { status: 'False', reason: 'AsExpected', message: 'no success is overdue' };
  }
  const successPhrase =
    status.lastSuccessfulTime === undefined
      ? 'no run has succeeded'
      : `the last success was at ${status.lastSuccessfulTime}`;
  return {
    status: 'True',
    reason: 'NoRecentSuccess',
    message: `${successPhrase}; spec.expectSuccessWithinSeconds is ${seconds}`,
  };
}

function computeProgressing({ facts, decision, status }: ConditionInput): ConditionFields<'Progressing'> {
  const isActive = hasActiveJobs(status);
  const waitingJobNames = listWaitingJobNames(facts, decision);
  const podsPhrase = waitingJobNames.length === 0 ? undefined : describeTerminatingPods(facts);
  const activePhrases = [isActive ? formatActiveJobs(status) : undefined, podsPhrase].filter((each) => each);
  const message = activePhrases.length === 0 ? 'no run is active' : activePhrases.join(', and ');
  const waitPhrase =
    waitingJobNames.length === 0
      ? ''
      : `; ${waitingJobNames.join(', then ')} will start after that (${formatWaitRule(facts.cronJob.spec)})`;
  return {
    status: isActive ? 'True' : 'False',
    reason: isActive ? 'JobsActive' : 'NoJobsActive',
    message: `${message}${waitPhrase}`,
  };
}

function hasActiveJobs({ activeCount = 0 }: CronJobStatus): boolean {
  return activeCount > 0;
}

function formatActiveJobs({ activeCount }: CronJobStatus): string {
  return activeCount === 1 ? '1 Job is active' : `${activeCount} Jobs are active`;
}

type Degraded = ConditionFields<'Degraded'>;

const AS_EXPECTED: Degraded = { status: 'False', reason: 'AsExpected', message: 'nothing is wrong' };

/** The condition Degraded shows the first problem that applies. */
function computeDegraded(input: ConditionInput): Degraded {
  return (
    detectInvalidSchedule(input) ??
    detectNeverFiring(input) ??
    detectClockSkew(input) ??
    detectFailedCreate(input) ??
    detectTooManyMissed(input) ??
    detectLastRunFailure(input) ??
    AS_EXPECTED
  );
}

function degradedWith(reason: Degraded['reason'], message: string): Degraded {
  return { status: 'True', reason, message };
}

function detectInvalidSchedule({ facts: { parsed } }: ConditionInput): Degraded | undefined {
  return parsed.kind === 'invalid' ? degradedWith(parsed.reason, parsed.message) : undefined;
}

function detectNeverFiring({ facts }: ConditionInput): Degraded | undefined {
  const { cronJob, parsed, next, now } = facts;
  const { spec } = cronJob;
  // Some users disable a CronJob with `suspend` and a schedule that never fires.
  if (spec.suspend || hasEnded(spec, now)) return undefined;
  if (getDeadlineMs(spec) === 0) {
    return degradedWith(
      'NeverFires',
      'spec.startingDeadlineSeconds: 0: every run is too late to start; raise it or leave it out',
    );
  }
  if (next !== undefined || parsed.kind === 'invalid' || parsed.schedule.next(now) !== undefined) return undefined;
  if (spec.endTime !== undefined && hasFired(parsed.schedule, facts)) return undefined;
  // The search begins when the schedule took effect, so its result and the message stay the same.
  if (parsed.exclusions?.fullTimetable.next(facts.effectiveSchedule.since))
    return degradedWith('NeverFires', 'spec.exclude: covers every time of the schedule');
  if (spec.endTime !== undefined)
    return degradedWith('NeverFires', `spec.endTime: ${spec.endTime}: no time of the schedule is before the end`);
  return degradedWith(
    'NeverFires',
    `spec.schedule: ${JSON.stringify(spec.schedule)}: matches no time within five years`,
  );
}

/** Returns true if the schedule has had a slot since the schedule took effect. */
function hasFired(schedule: Timetable, { effectiveSchedule, now }: Facts): boolean {
  const lastSlot = schedule.previous(now, effectiveSchedule.since);
  return lastSlot !== undefined && isAfter(lastSlot, effectiveSchedule.since);
}

/** A difference of up to one minute between the clocks of a cluster is not reported. */
const TOLERATED_SKEW_MS = 60_000;

function detectClockSkew({ facts, status }: ConditionInput): Degraded | undefined {
  const { metadata } = facts.cronJob;
  const futureField = findFutureField(status, facts.now);
  if (futureField === undefined) return undefined;
  const fix = `kubectl edit ${PLURAL}.${GROUP} ${metadata.name} --namespace ${metadata.namespace} --subresource=status`;
  return degradedWith(
    'ClockSkew',
    `status.${futureField.field}: ${formatTime(futureField.time)} is ahead of the clock; no run starts for times that the status ` +
      `records as handled. If the clock is right, fix the status: ${fix}`,
  );
}

/** Returns when the clock will reach the time that {@link detectClockSkew} reports. */
export function computeSkewEnd(status: CronJobStatus, now: Date): Date | undefined {
  const futureField = findFutureField(status, now);
  return futureField && new Date(futureField.time.getTime() - TOLERATED_SKEW_MS);
}

/** Returns the first field of the status whose time is ahead of the clock. */
function findFutureField(status: CronJobStatus, now: Date) {
  const { lastScheduleTime, handledThrough, effectiveSchedule, lastSuccessfulTime, lastFailureTime } = status;
  const latestTolerated = new Date(now.getTime() + TOLERATED_SKEW_MS);
  const toFault = (field: string, time: Date | undefined) =>
    time !== undefined && isAfter(time, latestTolerated) ? { field, time } : undefined;
  return (
    toFault('lastScheduleTime', parseTime(lastScheduleTime)) ??
    toFault('handledThrough', parseTime(handledThrough)) ??
    toFault('effectiveSchedule.since', parseTime(effectiveSchedule?.since)) ??
    toFault('lastSuccessfulTime', parseTime(lastSuccessfulTime)) ??
    toFault('lastFailureTime', parseTime(lastFailureTime)) ??
    toFault('recentRuns', parseRecentRun(status.recentRuns?.[0] ?? '')?.createdTime)
  );
}

function detectFailedCreate({ status: { failedStart } }: ConditionInput): Degraded | undefined {
  return failedStart && degradedWith('FailedCreate', formatFailedStart(failedStart));
}

function detectTooManyMissed({ facts, slots, status }: ConditionInput): Degraded | undefined {
  const wasReported = getCondition(facts.status.conditions, 'Degraded')?.reason === 'TooManyMissedTimes';
  if (slots.missed !== 'TooMany' && (!wasReported || hasStartedSince(facts.status, status))) return undefined;
  return degradedWith(
    'TooManyMissedTimes',
    'more than 100 runs were missed, and none of them starts late; set or decrease ' +
      'spec.startingDeadlineSeconds, or check the clock',
  );
}

/** Whether a run has started since the old status. */
export function hasStartedSince(oldStatus: CronJobStatus, status: CronJobStatus): boolean {
  return status.lastScheduleTime !== oldStatus.lastScheduleTime || status.lastManualRun !== oldStatus.lastManualRun;
}

function detectLastRunFailure({ status }: ConditionInput): Degraded | undefined {
  const { lastRun } = status;
  // A Job without a finish time does not change lastFailureTime.
  if (lastRun?.result === 'Failed' && lastRun.completionTime === undefined) {
    return degradedWith('LastRunFailed', `run ${lastRun.jobName} failed`);
  }
  const lastFailure = parseTime(status.lastFailureTime);
  const lastSuccess = parseTime(status.lastSuccessfulTime);
  if (lastFailure === undefined || (lastSuccess !== undefined && lastSuccess >= lastFailure)) return undefined;
  return degradedWith('LastRunFailed', `a run failed at ${status.lastFailureTime} and none has succeeded since`);
}

/**
 * Returns `status.successExpectedSince` after a reconcile. The field is absent if no success is expected, or if a run has
 * succeeded since then.
 */
export function computeSuccessExpectedSince(facts: Facts, lastSuccess: Date | undefined): Date | undefined {
  const since = computeExpectedSince(facts, lastSuccess);
  const { spec } = facts.cronJob;
  const isSuccessExpected = spec.expectSuccessWithinSeconds !== undefined && !facts.isSuspended;
  const until = isSuccessExpected ? findPassedSuspendUntil(spec, facts.now) : undefined;
  // No success was expected before `until`, but an earlier reconcile may have failed to store `successExpectedSince`.
  return until !== undefined && findLatest(since, lastSuccess, until) === until ? until : since;
}

function computeExpectedSince(
  { cronJob, status, now, isSuspended }: Facts,
  lastSuccess: Date | undefined,
): Date | undefined {
  if (cronJob.spec.expectSuccessWithinSeconds === undefined) return undefined;
  const isSuspensionLifted = !isSuspended && getCondition(status.conditions, 'Overdue')?.reason === 'Suspended';
  if (isSuspensionLifted) return findRecordedSuspendUntil({ cronJob, status }) ?? toWholeSeconds(now);
  const since = parseTime(status.successExpectedSince);
  const isFirstReconcile = status.observedGeneration === undefined;
  const creationTime = isFirstReconcile ? parseTime(cronJob.metadata.creationTimestamp) : undefined;
  // A time that is further ahead comes from a wrong clock, and would delay the alarm.
  const latestMs = now.getTime() + TOLERATED_SKEW_MS;
  const plausibleTime = [since, creationTime].find((time) => time !== undefined && time.getTime() <= latestMs);
  return (
    plausibleTime ??
    (isFirstReconcile || since !== undefined || lastSuccess === undefined ? toWholeSeconds(now) : undefined)
  );
}

function findRecordedSuspendUntil({ cronJob: { spec }, status }: Pick<Facts, 'cronJob' | 'status'>): Date | undefined {
  return status.suspendedUntil === spec.suspendUntil ? parseTime(spec.suspendUntil) : undefined;
}

/**
 * Returns when a success becomes overdue, or `undefined` if no success is expected. A time ahead of the clock is treated as now.
 * @param status The status that the reconcile will store.
 */
export function computeOverdueTime(facts: Facts, status: CronJobStatus): Date | undefined {
  const { cronJob, now, isSuspended } = facts;
  const { spec } = cronJob;
  const { expectSuccessWithinSeconds: seconds } = spec;
  if (seconds === undefined || seconds > MAX_SPAN_SECONDS || isSuspended) return undefined;
  const since = findLatest(parseTime(status.lastSuccessfulTime), parseTime(status.successExpectedSince));
  const sinceMs = Math.min(since?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
  const overdueTime = new Date(sinceMs + seconds * 1000);
  return hasEnded(spec, overdueTime) ? undefined : overdueTime;
}
