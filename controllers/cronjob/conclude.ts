/** Computes the outcome of a reconcile from its facts, decision and results. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { computeOverdueTime, computeSkewEnd } from './conditions.ts';
import { type ActionResults, type Decision, isTerminalFailure, listWaitingJobNames } from './decide.ts';
import {
  type CronJobEvent,
  createActionEvents,
  createMissedSlotEvents,
  createQueueFullEvents,
  createTransitionEvents,
  type FinishedRun,
  type Notifications,
} from './events.ts';
import { computeNextStart, type Facts } from './facts.ts';
import { isResultNew, listJobsToPrune } from './history.ts';
import { isBeingDeleted } from './job.ts';
import type { StatusWriteResult } from './pending.ts';
import { createOutcomeInput, type OutcomeInput } from './slot-outcome.ts';
import { getDeadlineMs, hasLaterSlot, NOTHING_DUE } from './slots.ts';
import { findNextStartCheck } from './start-timeout.ts';
import { computeStatus } from './status.ts';

/** The fields of the result of `reconcile` that determine when the next reconcile comes. */
export interface Requeue {
  /**
   * Wait before the next reconcile, in milliseconds. If the wait is `undefined`, the next reconcile follows an event.
   */
  readonly requeueAfterMs?: number;
  /** Whether a due run could not start, so that the next reconcile tries again after a back-off. */
  readonly retry: boolean;
  /** Minimum back-off, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The priority of the next reconcile, if it follows immediately. */
  readonly requeue?: 'normal' | 'low';
}

/** The outcome of a reconcile: the status to store, the events to send, and the time of the next reconcile. */
export interface Outcome extends Requeue {
  readonly status: CronJobStatus;
  /**
   * Whether this reconcile may leave the status write to the next reconcile. False after a failed start, because the next
   * reconcile first retries the start.
   */
  readonly canWait: boolean;
  /** Whether a run waits until the status is stored. */
  readonly mustRecord: boolean;
  /** Events about the API calls of this reconcile, which are sent even if the status is not stored. */
  readonly events: readonly CronJobEvent[];
  /** Notifications to send after the status is stored. */
  readonly notifications: Notifications;
}

export function conclude(facts: Facts, decision: Decision, results: ActionResults): Outcome {
  const { started } = results;
  const input = createOutcomeInput(facts, decision, results);
  const { status, skips } = computeStatus(input);
  const { slots } = input;
  const missedEvents = createMissedSlotEvents(slots);
  const isProven = 'job' in started;
  const mustRecord = decision.kind === 'RecordFirst';
  return {
    status,
    canWait: isProven || (started.kind === 'None' && !mustRecord),
    mustRecord,
    events: [...createActionEvents(results), ...(isProven ? missedEvents : [])],
    notifications: {
      events: [
        ...createTransitionEvents(input, status),
        ...(isProven ? [] : missedEvents),
        ...createQueueFullEvents(skips, facts.cronJob),
      ],
      skips,
      finished: listNewlyFinishedRuns(input),
    },
    ...toRequeue(computeNextWakeUp(input, status), facts.now),
    ...computeImmediateRequeue(input),
  };
}

/** Returns the runs whose results no earlier status has recorded. */
function listNewlyFinishedRuns({ facts, runs }: OutcomeInput): readonly FinishedRun[] {
  const finished: FinishedRun[] = [];
  for (const run of runs) {
    const { state, startedAt, finishedAt } = run;
    if (state === 'Active' || !startedAt || !finishedAt || !isResultNew(run, facts)) continue;
    // The two times may come from different clocks, and a negative duration would decrease the sum of the histogram.
    finished.push({ result: state, seconds: Math.max(0, finishedAt.getTime() - startedAt.getTime()) / 1000 });
  }
  return finished;
}

/** Finished Jobs to delete. */
export interface Pruning {
  /** Oldest first. */
  readonly jobs: readonly Job[];
  /** Whether the reconcile may leave the deletes to the next reconcile. */
  readonly canWait: boolean;
}

/**
 * The maximum number of Jobs whose deletion a reconcile may postpone. A busy controller could otherwise postpone deletions without
 * end.
 */
const MAX_POSTPONED_DELETES = 5;

/**
 * Returns the Jobs to delete. A Job is deleted only if the stored status records its run.
 * @param status The status that the reconcile has sent to the API server.
 */
export function computePruning(
  { cronJob, runs }: Facts,
  status: CronJobStatus,
  writeResult: StatusWriteResult,
): Pruning {
  switch (writeResult.kind) {
    case 'Gone':
    case 'Postponed':
      return { jobs: [], canWait: false };
    case 'Failed':
      return { jobs: listJobsToPrune({ ...cronJob, status: writeResult.status }, runs), canWait: false };
    case 'Stored': {
      const jobs = listJobsToPrune({ ...cronJob, status: writeResult.status }, runs, status);
      return { jobs, canWait: writeResult.isNew && jobs.length > 0 && jobs.length <= MAX_POSTPONED_DELETES };
    }
  }
}

/**
 * Computes when the next reconcile comes. No back-off delays the next slot.
 * @param backOffsMs Remaining back-offs of failed calls, in milliseconds. `undefined` if no call has failed.
 * @param prunesLater Whether the next reconcile deletes the finished Jobs.
 */
export function computeRequeue(
  { requeueAfterMs: nextMs, retry, retryAfterMs, requeue: outcomeRequeue }: Requeue,
  { kind }: Pick<StatusWriteResult, 'kind'>,
  backOffsMs: readonly (number | undefined)[],
  prunesLater = false,
): Requeue {
  if (kind === 'Gone') return { ...(nextMs !== undefined && { requeueAfterMs: nextMs }), retry: false };
  const requeue = outcomeRequeue ?? (kind === 'Postponed' || prunesLater ? 'low' : undefined);
  let firstWaitMs = nextMs ?? Number.POSITIVE_INFINITY;
  for (const backOffMs of backOffsMs)
    firstWaitMs = Math.min(firstWaitMs, computeEffectiveWaitMs(backOffMs, requeue) ?? Number.POSITIVE_INFINITY);
  return {
    ...(firstWaitMs !== Number.POSITIVE_INFINITY && { requeueAfterMs: firstWaitMs }),
    retry,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(requeue && { requeue }),
  };
}

/**
 * If a back-off has ended, an immediate reconcile repeats the failed call. Never returns 0, because 0 would cancel the wake-up for
 * the next slot.
 */
function computeEffectiveWaitMs(backOffMs: number | undefined, requeue: Requeue['requeue']): number | undefined {
  if (backOffMs === 0 && requeue !== undefined) return undefined;
  return backOffMs === undefined ? undefined : Math.max(backOffMs, 1);
}

/** Returns the wait before the next reconcile, in milliseconds, after a reconcile that failed before it read the Jobs. */
export function computeRequeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const start = computeNextStart(cronJob, now);
  return start && computeWaitMs(start, now);
}

/** Delay of the wake-up after the slot, because a timer may fire slightly too early. */
export const SCHEDULE_SLACK_MS = 2;

function toRequeue(instant: Date | undefined, now: Date): Pick<Requeue, 'requeueAfterMs'> {
  return instant === undefined ? {} : { requeueAfterMs: computeWaitMs(instant, now) };
}

function computeWaitMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}

function computeNextWakeUp({ facts, results, slots }: OutcomeInput, status: CronJobStatus): Date | undefined {
  if (isTerminalFailure(results.started)) return undefined;
  let firstTime = facts.next && facts.parsed.startOf(facts.next);
  for (const time of [
    slots.waitingSlot && computeStartDeadline(slots.waitingSlot, facts),
    computeClockSkewCheckTime(facts, status),
    findSuspensionEnd(facts),
    findFutureEndTime(facts),
    findNextExcludedSlot(facts),
    findFutureRunSlot(facts),
    computeOverdueCheckTime(facts, status),
    findNextStartCheck(facts),
  ]) {
    if (time !== undefined && (firstTime === undefined || isAfter(firstTime, time))) firstTime = time;
  }
  return firstTime;
}

/** Returns the time at which the condition Available changes because of `endTime`. */
function findFutureEndTime({ cronJob: { spec }, now }: Facts): Date | undefined {
  const end = parseTime(spec.endTime);
  return end !== undefined && isAfter(end, now) ? end : undefined;
}

/** Each excluded slot has a reconcile that records it, so that a later edit of `exclude` starts no run. */
function findNextExcludedSlot({ parsed, due, now }: Facts): Date | undefined {
  return parsed.kind === 'invalid' || due === NOTHING_DUE ? undefined : parsed.exclusions?.fullTimetable.next(now);
}

function findSuspensionEnd({ cronJob: { spec }, isSuspended }: Facts): Date | undefined {
  return isSuspended && !spec.suspend ? parseTime(spec.suspendUntil) : undefined;
}

/** Returns the slot of a run that a manager with a fast clock has started. No earlier status can record the run. */
function findFutureRunSlot({ runs, now }: Facts): Date | undefined {
  const futureSlotsMs = runs.flatMap(({ slot }) => (slot !== undefined && isAfter(slot, now) ? [slot.getTime()] : []));
  return futureSlotsMs.length === 0 ? undefined : new Date(Math.min(...futureSlotsMs));
}

function computeOverdueCheckTime(facts: Facts, status: CronJobStatus): Date | undefined {
  const overdueTime = computeOverdueTime(facts, status);
  const isAhead = overdueTime !== undefined && isAfter(overdueTime, facts.now);
  return isAhead && !isBeingDeleted(facts.cronJob) ? overdueTime : undefined;
}

function computeStartDeadline(slot: Date, { cronJob, parsed }: Facts): Date | undefined {
  const deadline = getDeadlineMs(cronJob.spec);
  return deadline === undefined ? undefined : new Date(parsed.startOf(slot).getTime() + deadline);
}

const SKEW_CHECK_INTERVAL_MS = 60_000;

/** Checks at least once a minute, because no event reports that a clock was corrected. */
function computeClockSkewCheckTime({ now }: Facts, status: CronJobStatus): Date | undefined {
  if (getCondition(status.conditions, 'Degraded')?.reason !== 'ClockSkew') return undefined;
  const end = computeSkewEnd(status, now);
  return end && new Date(Math.min(end.getTime(), now.getTime() + SKEW_CHECK_INTERVAL_MS));
}

/** Returns whether the next reconcile comes before the wake-up, and with which priority. */
function computeImmediateRequeue({
  facts,
  decision,
  results: { started },
}: OutcomeInput): Omit<Requeue, 'requeueAfterMs'> {
  if (isTerminalFailure(started)) return { retry: false };
  if (started.kind === 'Failed') {
    const { retryAfterMs } = started.failure;
    return { retry: true, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  // After the start of a manual run, a slot may still be due.
  const isNextReconcileReady =
    decision.kind === 'RunNow' || decision.kind === 'RecordFirst' || leavesSlotDue(facts, decision);
  return isNextReconcileReady ? { retry: false, requeue: 'normal' } : { retry: hasDeferredManualRun(facts, decision) };
}

/** Whether another run may be due after the slots that the reconcile has handled. */
function leavesSlotDue({ due }: Facts, decision: Decision): boolean {
  switch (decision.kind) {
    case 'Run':
      return hasLaterSlot(due, decision.slot);
    case 'Skip':
      return hasLaterSlot(due, decision.through);
    default:
      return false;
  }
}

/**
 * Whether the reconcile preferred a slot to a due manual run. A manual run that waits because of Forbid starts after the event of
 * a finished Job.
 */
function hasDeferredManualRun(facts: Facts, decision: Decision): boolean {
  const { runNow } = facts;
  return runNow.kind === 'Due' && !listWaitingJobNames(facts, decision).includes(runNow.jobName);
}
