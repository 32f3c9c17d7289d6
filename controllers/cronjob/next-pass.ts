/** When the next pass comes. */

import { isAfter, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { StartResult } from './action-results.ts';
import { skewEnd } from './conditions.ts';
import { type Decision, waitingJobs } from './decide.ts';
import { type Facts, nextSlotOf } from './facts.ts';
import { overdueAt } from './overdue.ts';
import type { StatusWrite } from './pending.ts';
import { shownFault } from './reported.ts';
import type { SlotOutcome } from './slot-outcome.ts';
import { deadlineMs } from './slots.ts';
import { nextStartCheck } from './start-timeout.ts';

/** What a pass left undone, for a next pass before `requeueAfterMs`. */
export type Unfinished =
  | { readonly kind: 'Nothing' }
  /** The run could not be started. Next pass with back-off, and not before `retryAfterMs`, if the API server asked for a wait. */
  | { readonly kind: 'FailedStart'; readonly retryAfterMs?: number }
  /** A manual run gave way to a slot. Next pass with back-off, because the manual run may have failed before. */
  | { readonly kind: 'RunNow' }
  /** A run waits for the status that this pass writes. Next pass at once, stored or not. */
  | { readonly kind: 'Record' }
  /** A manual run was started, and a slot may be due as well. Next pass at once. */
  | { readonly kind: 'Schedule' };

/** When the next pass comes, as `reconcile` returns it. */
export interface Requeue {
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** Whether a pass with back-off comes as well, if it is earlier. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Without `retry`: a run could not be started, and none has been since. The next failure backs off further than the last one. */
  readonly keepsBackOff?: true;
  /** With which priority in the queue another pass comes, if one comes at once. */
  readonly requeue?: 'normal' | 'low';
}

/**
 * When the next pass comes. Each part that failed has its own back-off, and none delays the next slot.
 * @param backOffsMs The remaining back-off of each part, in milliseconds; `undefined` for a part that has nothing to retry.
 * @param prunesLater Whether the deletes were left to the next pass.
 */
export function requeueAfterPass(
  { status, requeueAfterMs: nextMs, unfinished }: WithoutBackOffs,
  write: StatusWrite,
  backOffsMs: readonly (number | undefined)[],
  prunesLater = false,
): Requeue {
  const requeue = requeueAtOnce(unfinished, write, prunesLater);
  const waits = [nextMs, ...backOffsMs.map((backOffMs) => waitFor(backOffMs, requeue))];
  const first = Math.min(...waits.filter((wait) => wait !== undefined));
  return {
    ...(first !== Number.POSITIVE_INFINITY && { requeueAfterMs: first }),
    retry: unfinished.kind === 'FailedStart' || unfinished.kind === 'RunNow',
    ...(status.failedStart && { keepsBackOff: true }),
    ...('retryAfterMs' in unfinished && { retryAfterMs: unfinished.retryAfterMs }),
    ...(requeue && { requeue }),
  };
}

function requeueAtOnce(unfinished: Unfinished, { kind }: StatusWrite, prunesLater: boolean): Requeue['requeue'] {
  const isMore = unfinished.kind === 'Schedule' || unfinished.kind === 'Record';
  if (isMore && kind !== 'Gone') return 'normal';
  return kind === 'Postponed' || prunesLater ? 'low' : undefined;
}

/** A back-off that is over is left to the pass that comes at once. No wait is 0: that would void the wake-up for the next slot. */
function waitFor(backOffMs: number | undefined, requeue: Requeue['requeue']): number | undefined {
  if (backOffMs === 0 && requeue !== undefined) return undefined;
  return backOffMs === undefined ? undefined : Math.max(backOffMs, 1);
}

/** Wait after a pass that failed before it read the Jobs, in milliseconds; `undefined` when no run will ever start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = nextSlotOf(cronJob, now);
  return next && untilMs(next, now);
}

/** What the core says of the next pass. */
interface WithoutBackOffs {
  readonly status: CronJobStatus;
  readonly requeueAfterMs?: number;
  readonly unfinished: Unfinished;
}

/** A wake-up comes this much after the slot, so that the clock has certainly passed it. */
export const SCHEDULE_SLACK_MS = 2;

/** The field of {@link Requeue} for a next pass at `instant`, if there is one. */
export function requeueAfterMs(instant: Date | undefined, now: Date): Pick<Requeue, 'requeueAfterMs'> {
  return instant === undefined ? {} : { requeueAfterMs: untilMs(instant, now) };
}

function untilMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}

interface PassResults {
  readonly started: StartResult;
  readonly slots: SlotOutcome;
  readonly status: CronJobStatus;
}

/** The time of the next pass, if no watch event comes before. */
export function wakeUpAfter(facts: Facts, { started, slots, status }: PassResults): Date | undefined {
  if (isNamespaceTerminating(started)) return undefined;
  let first = facts.next;
  for (const time of [
    slots.waiting && deadlineOf(slots.waiting, facts.cronJob.spec),
    skewCheckAt(facts, status),
    suspendedUntil(facts),
    runAheadAt(facts),
    overdueCheckAt(facts, status),
    nextStartCheck(facts),
  ]) {
    if (time !== undefined && (first === undefined || isAfter(first, time))) first = time;
  }
  return first;
}

/** When the time of `suspendUntil` ends: the conditions say so, and slots before it are recorded as skipped. */
function suspendedUntil({ cronJob: { spec }, isSuspended }: Facts): Date | undefined {
  return isSuspended && !spec.suspend ? parseTime(spec.suspendUntil) : undefined;
}

/** The slot of a run that a manager whose clock is ahead has started: only then can it be recorded, whether or not another slot comes. */
function runAheadAt({ runs, now }: Facts): Date | undefined {
  const ahead = runs.flatMap(({ slot }) => (slot !== undefined && isAfter(slot, now) ? [slot.getTime()] : []));
  return ahead.length === 0 ? undefined : new Date(Math.min(...ahead));
}

/** When a success becomes overdue. Once it is, nothing is left to wait for. */
function overdueCheckAt(facts: Facts, status: CronJobStatus): Date | undefined {
  const at = overdueAt(facts, status);
  return at === undefined || !isAfter(at, facts.now) || facts.isDeleting ? undefined : at;
}

function isNamespaceTerminating(started: StartResult): boolean {
  return started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating';
}

/** When the deadline of a waiting slot passes: a pass must then record it as missed. */
function deadlineOf(slot: Date, spec: CronJob['spec']): Date | undefined {
  const deadline = deadlineMs(spec);
  return deadline === undefined ? undefined : new Date(slot.getTime() + deadline);
}

const SKEW_CHECK_MS = 60_000;

/** When the skew ends by itself; or earlier, because the clock may be corrected, and no watch event starts a pass for that. */
function skewCheckAt({ now }: Facts, status: CronJobStatus): Date | undefined {
  if (shownFault(status)?.fault !== 'ClockSkew') return undefined;
  const checkAt = new Date(now.getTime() + SKEW_CHECK_MS);
  const end = skewEnd(status, now);
  return isAfter(checkAt, end) ? end : checkAt;
}

export function unfinishedAfter(facts: Facts, decision: Decision, started: StartResult): Unfinished {
  if (isNamespaceTerminating(started)) return { kind: 'Nothing' };
  if (started.kind === 'Failed') {
    const { retryAfterMs } = started.failure;
    return { kind: 'FailedStart', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (decision.kind === 'RunNow') return { kind: 'Schedule' };
  if (decision.kind === 'RecordFirst') return { kind: 'Record' };
  return hasRunNowGivenWay(facts, decision) ? { kind: 'RunNow' } : { kind: 'Nothing' };
}

/** A manual run that waits for active runs has not given way: their end starts a pass. */
function hasRunNowGivenWay(facts: Facts, decision: Decision): boolean {
  const { runNow, isDeleting } = facts;
  return runNow.kind === 'Due' && !isDeleting && !waitingJobs(facts, decision).includes(runNow.jobName);
}
