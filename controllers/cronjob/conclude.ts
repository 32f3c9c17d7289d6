/** The last step of the core: computes the outcome of the pass from facts, decision and results. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { overdueAt, skewEnd } from './conditions.ts';
import { type ActionResults, type Decision, type StartResult, waitingJobs } from './decide.ts';
import {
  actionEvents,
  type CronJobEvent,
  type FinishedRun,
  missedSlotEvents,
  type Notifications,
  transitionEvents,
} from './events.ts';
import { computeNextSlot, type Facts } from './facts.ts';
import { isResultNew, jobsToPrune } from './history.ts';
import type { StatusWrite } from './pending.ts';
import { type Pass, passAfter } from './slot-outcome.ts';
import { deadlineMs } from './slots.ts';
import { nextStartCheck } from './start-timeout.ts';
import { statusAfter } from './status.ts';

/** The outcome of a pass: what the shell stores, sends and schedules. */
export interface Outcome {
  readonly status: CronJobStatus;
  /**
   * Whether the next pass may store the status instead. False after a failed start, because the next pass would try to start the
   * run again.
   */
  readonly canWait: boolean;
  /**
   * Events for the actions of the pass and for what the Job of the run proves. The shell sends them immediately, even if the status
   * is not stored.
   */
  readonly events: readonly CronJobEvent[];
  /** Notifications about changes that this status is the first to record. The shell sends them after it stores the status. */
  readonly notifications: Notifications;
  /** Wait before the next pass, in milliseconds; never negative. `undefined` sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /**
   * A pass that comes before `requeueAfterMs`. Retry: with back-off, because the run could not be started, or because a manual run
   * gave way to a slot and may have failed before. Record: immediately, even if the status is not stored, because a run waits for
   * this status. Schedule: immediately, because a manual run was started and a slot may be due as well.
   */
  readonly followUp?: 'Retry' | 'Record' | 'Schedule';
  /** With Retry: the minimum wait that the API server requested, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Computes the outcome. */
export function conclude(facts: Facts, decision: Decision, results: ActionResults): Outcome {
  const { started } = results;
  const pass = passAfter(facts, decision, results);
  const { status, skips } = statusAfter(pass);
  const { slots } = pass;
  const missed = missedSlotEvents(slots);
  const isProven = 'job' in started;
  return {
    status,
    canWait: isProven || (started.kind === 'None' && decision.kind !== 'RecordFirst'),
    events: [...actionEvents(results), ...(isProven ? missed : [])],
    notifications: {
      events: [...transitionEvents(pass, status), ...(isProven ? [] : missed)],
      skips,
      finished: finishedRuns(pass),
    },
    ...requeueAfterMs(nextWakeUp(pass, status), facts.now),
    ...followUpAfter(pass),
  };
}

/** The runs with results that this pass is the first to record. */
function finishedRuns({ facts, runs }: Pass): readonly FinishedRun[] {
  const finished: FinishedRun[] = [];
  for (const run of runs) {
    const { state, startedAt, finishedAt } = run;
    if (state === 'Active' || !startedAt || !finishedAt || !isResultNew(run, facts)) continue;
    // Different clocks may have set these times; a histogram's sum must not decrease.
    finished.push({ result: state, seconds: Math.max(0, finishedAt.getTime() - startedAt.getTime()) / 1000 });
  }
  return finished;
}

/** Finished Jobs to delete. */
export interface Pruning {
  /** Oldest first. */
  readonly jobs: readonly Job[];
  /** Whether the next pass may delete the Jobs instead. */
  readonly canWait: boolean;
}

/**
 * More Jobs are deleted immediately: while each pass of a busy controller has a status to write, it would leave them to the next
 * pass again.
 */
const MAX_PRUNED_LATER = 5;

/**
 * Returns Jobs to delete only if a stored status proves their runs.
 * @param status The status that was sent.
 */
export function pruningAfter({ cronJob, runs }: Facts, status: CronJobStatus, write: StatusWrite): Pruning {
  switch (write.kind) {
    case 'Gone':
    case 'Postponed':
      return { jobs: [], canWait: false };
    case 'Failed':
      return { jobs: jobsToPrune({ ...cronJob, status: write.status }, runs), canWait: false };
    case 'Stored': {
      const jobs = jobsToPrune({ ...cronJob, status: write.status }, runs, status);
      return { jobs, canWait: write.isNew && jobs.length > 0 && jobs.length <= MAX_PRUNED_LATER };
    }
  }
}

/** The time of the next pass, as `reconcile` returns it. */
export interface Requeue {
  /** Wait before the next pass, in milliseconds; never negative. `undefined` sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** Whether a pass with back-off also comes, if it is earlier. */
  readonly retry: boolean;
  /** With `retry`: the minimum wait that the server requested, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Queue priority of a pass that comes immediately; absent without such a pass. */
  readonly requeue?: 'normal' | 'low';
}

/**
 * Computes when the next pass comes. Each part that failed has its own back-off, and no back-off delays the next slot.
 * @param backOffsMs The remaining back-off of each part, in milliseconds; `undefined` for a part that has nothing to retry.
 * @param prunesLater Whether the deletes were left to the next pass.
 */
export function requeueAfterPass(
  { requeueAfterMs: nextMs, followUp, retryAfterMs }: Outcome,
  write: Pick<StatusWrite, 'kind'>,
  backOffsMs: readonly (number | undefined)[],
  prunesLater = false,
): Requeue {
  const requeue = immediateRequeue(followUp, write, prunesLater);
  const waits = [nextMs, ...backOffsMs.map((backOffMs) => effectiveWaitMs(backOffMs, requeue))];
  const first = Math.min(...waits.filter((wait) => wait !== undefined));
  return {
    ...(first !== Number.POSITIVE_INFINITY && { requeueAfterMs: first }),
    retry: followUp === 'Retry',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(requeue && { requeue }),
  };
}

function immediateRequeue(
  followUp: Outcome['followUp'],
  { kind }: Pick<StatusWrite, 'kind'>,
  prunesLater: boolean,
): Requeue['requeue'] {
  if ((followUp === 'Schedule' || followUp === 'Record') && kind !== 'Gone') return 'normal';
  return kind === 'Postponed' || prunesLater ? 'low' : undefined;
}

/**
 * The pass that comes immediately handles a back-off that has ended. The wait is never 0, because 0 would cancel the wake-up for
 * the next slot.
 */
function effectiveWaitMs(backOffMs: number | undefined, requeue: Requeue['requeue']): number | undefined {
  if (backOffMs === 0 && requeue !== undefined) return undefined;
  return backOffMs === undefined ? undefined : Math.max(backOffMs, 1);
}

/** Wait after a pass that failed before it read the Jobs, in milliseconds; `undefined` when no run will ever start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = computeNextSlot(cronJob, now);
  return next && wakeUpInMs(next, now);
}

/** The wake-up comes this much after the slot, so that the clock has certainly passed the slot. */
export const SCHEDULE_SLACK_MS = 2;

/** The field of {@link Requeue} for a next pass at `instant`, if there is one. */
function requeueAfterMs(instant: Date | undefined, now: Date): Pick<Requeue, 'requeueAfterMs'> {
  return instant === undefined ? {} : { requeueAfterMs: wakeUpInMs(instant, now) };
}

function wakeUpInMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}

/** The time of the next pass if no watch event comes before. */
function nextWakeUp({ facts, results, slots }: Pass, status: CronJobStatus): Date | undefined {
  if (isNamespaceTerminating(results.started)) return undefined;
  let first = facts.next;
  for (const time of [
    slots.waiting && startDeadline(slots.waiting, facts.cronJob.spec),
    skewCheckAt(facts, status),
    suspensionEnd(facts),
    futureRunSlot(facts),
    overdueCheckAt(facts, status),
    nextStartCheck(facts),
  ]) {
    if (time !== undefined && (first === undefined || isAfter(first, time))) first = time;
  }
  return first;
}

/** The end of `suspendUntil`: at that time the conditions change, and slots before it are recorded as skipped. */
function suspensionEnd({ cronJob: { spec }, isSuspended }: Facts): Date | undefined {
  return isSuspended && !spec.suspend ? parseTime(spec.suspendUntil) : undefined;
}

/**
 * The slot of a run that a manager with a fast clock has started. The status can record the run only at that time, whether or not
 * another slot comes.
 */
function futureRunSlot({ runs, now }: Facts): Date | undefined {
  const ahead = runs.flatMap(({ slot }) => (slot !== undefined && isAfter(slot, now) ? [slot.getTime()] : []));
  return ahead.length === 0 ? undefined : new Date(Math.min(...ahead));
}

/** When a success becomes overdue; `undefined` once it is overdue, because no further check is needed. */
function overdueCheckAt(facts: Facts, status: CronJobStatus): Date | undefined {
  const at = overdueAt(facts, status);
  const isDeleting = facts.cronJob.metadata.deletionTimestamp !== undefined;
  return at === undefined || !isAfter(at, facts.now) || isDeleting ? undefined : at;
}

function isNamespaceTerminating(started: StartResult): boolean {
  return started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating';
}

/** When the deadline of a waiting slot passes: a pass must then record it as missed. */
function startDeadline(slot: Date, spec: CronJob['spec']): Date | undefined {
  const deadline = deadlineMs(spec);
  return deadline === undefined ? undefined : new Date(slot.getTime() + deadline);
}

const SKEW_CHECK_MS = 60_000;

/**
 * When the time that the condition names is no longer ahead. The check may come earlier, because a clock correction starts no pass.
 */
function skewCheckAt({ now }: Facts, status: CronJobStatus): Date | undefined {
  const end = skewEnd(status, now);
  const isShown = getCondition(status.conditions, 'Degraded')?.reason === 'ClockSkew';
  return isShown && end ? new Date(Math.min(end.getTime(), now.getTime() + SKEW_CHECK_MS)) : undefined;
}

function followUpAfter({ facts, decision, results }: Pass): Pick<Outcome, 'followUp' | 'retryAfterMs'> {
  const { started } = results;
  if (isNamespaceTerminating(started)) return {};
  if (started.kind === 'Failed') {
    const { retryAfterMs } = started.failure;
    return { followUp: 'Retry', ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (decision.kind === 'RunNow') return { followUp: 'Schedule' };
  if (decision.kind === 'RecordFirst') return { followUp: 'Record' };
  return hasDeferredManualRun(facts, decision) ? { followUp: 'Retry' } : {};
}

/**
 * Whether a manual run gave way to a slot. A manual run that waits for active runs has not: the end of those runs starts a pass.
 */
function hasDeferredManualRun(facts: Facts, decision: Decision): boolean {
  const { runNow } = facts;
  return runNow.kind === 'Due' && !waitingJobs(facts, decision).includes(runNow.jobName);
}
