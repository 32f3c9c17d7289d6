/** What follows from what was known, decided and done: the status to store, the events to send, when to look again. */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type Applied, type PassedOver, type StartResult, type StatusWrite, slotsPassedOver } from './applied.ts';
import { type Decision, waitingJobs } from './decide.ts';
import { type CronJobEvent, eventsOfActions, eventsOfTransitions } from './events.ts';
import { type Facts, type Memory, nextSlotOf, UNSTORED_FIELDS, type Unstored } from './facts.ts';
import { jobsToPrune } from './history.ts';
import { shownFault } from './reported.ts';
import { deadlineMs } from './slots.ts';
import { statusAfter } from './status.ts';

export interface Settled {
  readonly status: CronJobStatus;
  /** Of what was done, to send in any case. */
  readonly events: readonly CronJobEvent[];
  /** Of what was seen, to send once `status` is stored. */
  readonly transitionEvents: readonly CronJobEvent[];
  /** To count once `status` is stored. */
  readonly passedOver: readonly PassedOver[];
  /** Names of Jobs that this process could not start. */
  readonly failed: ReadonlySet<string>;
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  readonly left: Left;
}

/** What a pass leaves to one that comes before `requeueAfterMs`. */
export type Left =
  | { readonly kind: 'Nothing' }
  /** The run could not be started: with back-off, and not before `retryAfterMs`, for which the server asked. */
  | { readonly kind: 'FailedStart'; readonly retryAfterMs?: number }
  /** A run by hand gave way to a slot: with back-off, as it may be one that could not be started. */
  | { readonly kind: 'RunNow' }
  /** What the schedule wants gave way to a run by hand: at once when the status is stored. */
  | { readonly kind: 'Schedule' };

export function settle(facts: Facts, decision: Decision, applied: Applied): Settled {
  const { started } = applied;
  const status = statusAfter(facts, decision, applied);
  const wakeAt = wakeUpAfter(facts, decision, { started, status });
  return {
    status,
    events: eventsOfActions(applied),
    transitionEvents: eventsOfTransitions(facts, decision, { started, status }),
    passedOver: slotsPassedOver(facts, decision, started),
    failed: failedAfter(facts, decision, started),
    ...(wakeAt === undefined ? {} : { requeueAfterMs: untilMs(wakeAt, facts.now) }),
    left: leftAfter(facts, decision, started),
  };
}

/** What is left to do once the status was sent. */
export interface Remaining {
  readonly events: readonly CronJobEvent[];
  readonly passedOver: readonly PassedOver[];
  /** Finished Jobs to delete, oldest first. */
  readonly prune: readonly Job[];
  /** For the next pass; `undefined` when there is nothing to remember. */
  readonly memory: Memory | undefined;
}

/** Only a status that is stored remembers what people were told, and proves what the Jobs that may go now have proved. */
export function afterStatusWrite({ cronJob, runs }: Facts, settled: Settled, write: StatusWrite): Remaining {
  if (write.kind === 'Gone') return { events: [], passedOver: [], prune: [], memory: undefined };
  const isStored = write.kind === 'Stored';
  const { status } = settled;
  return {
    events: isStored ? settled.transitionEvents : [],
    passedOver: isStored ? settled.passedOver : [],
    prune: jobsToPrune({ ...cronJob, status: write.status }, runs, isStored ? status : write.status),
    memory: memoryAfter(cronJob.metadata.uid, settled, write),
  };
}

/** When a pass follows, as a controller returns it. */
export interface Requeue {
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** Look again with back-off as well. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * When to look again after all. Each part that failed has a back-off of its own, and none delays the next slot.
 * @param backOffsMs How long each of the parts waits before it tries again; `undefined` for one that has nothing to try.
 */
export function requeueAfterPass(
  { requeueAfterMs, left }: Pick<Settled, 'requeueAfterMs' | 'left'>,
  write: StatusWrite,
  backOffsMs: readonly (number | undefined)[],
): Requeue {
  const atOnce = left.kind === 'Schedule' && write.kind === 'Stored' ? 0 : undefined;
  const waits = [requeueAfterMs, ...backOffsMs, atOnce].filter((wait) => wait !== undefined);
  return {
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
    retry: left.kind === 'FailedStart' || left.kind === 'RunNow',
    ...('retryAfterMs' in left && { retryAfterMs: left.retryAfterMs }),
  };
}

/** When to look again after a pass that failed before it knew more than the CronJob; `undefined` when nothing will start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = nextSlotOf(cronJob, now);
  return next && untilMs(next, now);
}

/** Wake-ups come this much after the slot, so that the clock has passed it for sure. */
export const SCHEDULE_SLACK_MS = 2;

function untilMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}

interface Outcome {
  readonly started: StartResult;
  readonly status: CronJobStatus;
}

/** The first instant at which there is something to see that no event tells of. */
function wakeUpAfter(facts: Facts, decision: Decision, { started, status }: Outcome): Date | undefined {
  if (isNamespaceTerminating(started)) return undefined;
  const [first] = [facts.next, givenUpAt(facts, decision, started), skewCheckAt(facts, status)]
    .filter((time) => time !== undefined)
    .toSorted((left, right) => left.getTime() - right.getTime());
  return first;
}

function isNamespaceTerminating(started: StartResult): boolean {
  return started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating';
}

/** A slot that waits is given up when its deadline passes, and that has to be seen. */
function givenUpAt({ cronJob: { spec } }: Facts, decision: Decision, started: StartResult): Date | undefined {
  switch (decision.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
    case 'TooManyMissed':
    case 'NothingDue':
      return undefined;
    case 'Blocked':
      return deadlineOf(decision.slot, spec);
    case 'Run':
      return started.kind === 'Failed' ? deadlineOf(decision.slot, spec) : undefined;
  }
}

function deadlineOf(slot: Date, spec: CronJob['spec']): Date | undefined {
  const deadline = deadlineMs(spec);
  return deadline === undefined ? undefined : new Date(slot.getTime() + deadline);
}

const SKEW_CHECK_MS = 60_000;

/** A status that is ahead of the clock is fixed by hand, of which no event tells. */
function skewCheckAt({ now }: Facts, status: CronJobStatus): Date | undefined {
  return shownFault(status)?.fault === 'ClockSkew' ? new Date(now.getTime() + SKEW_CHECK_MS) : undefined;
}

function leftAfter(facts: Facts, decision: Decision, started: StartResult): Left {
  if (isNamespaceTerminating(started)) return { kind: 'Nothing' };
  if (started.kind === 'Failed') {
    const { retryAfterMs } = started.failure;
    return { kind: 'FailedStart', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (decision.kind === 'RunNow') return { kind: 'Schedule' };
  return hasRunNowGivenWay(facts, decision) ? { kind: 'RunNow' } : { kind: 'Nothing' };
}

/** One that waits for active runs has not: it is woken by their end. */
function hasRunNowGivenWay(facts: Facts, decision: Decision): boolean {
  const { runNow, isDeleting } = facts;
  return runNow.kind === 'Due' && !isDeleting && !waitingJobs(facts, decision).includes(runNow.jobName);
}

/** The Jobs that could not be started, this pass included. */
function failedAfter({ memory }: Facts, decision: Decision, started: StartResult): ReadonlySet<string> {
  if (!('job' in decision)) return memory.failed;
  const { name } = decision.job.metadata;
  // A run by hand and a slot may fail in turn; nothing older matters any more.
  const other = [...memory.failed].filter((jobName) => jobName !== name).slice(-1);
  return new Set(started.kind === 'Failed' ? [...other, name] : other);
}

/** What to keep after a pass; `undefined` for nothing. */
function memoryAfter(
  uid: string,
  { status, failed }: Settled,
  write: Exclude<StatusWrite, { kind: 'Gone' }>,
): Memory | undefined {
  const isStored = write.kind === 'Stored';
  const unrecorded = isStored ? [] : (status.active ?? []);
  const unstored = isStored ? {} : unstoredOf(status, write.status);
  const isEmpty = unrecorded.length === 0 && failed.size === 0 && Object.keys(unstored).length === 0;
  return isEmpty ? undefined : { uid, unrecorded, failed, unstored };
}

/** What of `status`, which could not be stored, the stored one does not say. */
function unstoredOf(status: CronJobStatus, stored: CronJobStatus): Unstored {
  return Object.fromEntries(
    UNSTORED_FIELDS.filter(
      (field) => status[field] !== undefined && !isDeepStrictEqual(status[field], stored[field]),
    ).map((field) => [field, status[field]]),
  );
}
