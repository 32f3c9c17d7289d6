/** What follows from what was known, decided and done: the status to store, the events to send, when to look again. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Applied, StartResult, StatusWrite } from './applied.ts';
import { type Decision, waitingJobs } from './decide.ts';
import { type CronJobEvent, eventsOfActions, eventsOfTransitions } from './events.ts';
import { type Facts, nextSlotOf } from './facts.ts';
import { jobsToPrune } from './history.ts';
import { failedAfter, type Memory, memoryAfter } from './memory.ts';
import { type PassedOver, slotsPassedOver } from './passed-over.ts';
import { shownFault } from './reported.ts';
import { deadlineMs } from './slots.ts';
import { statusAfter } from './status.ts';

/** Wake-ups come this much after the slot, so that the clock has passed it for sure. */
export const SCHEDULE_SLACK_MS = 2;
/** A status that is ahead of the clock is fixed by hand, of which no event tells. */
const SKEW_CHECK_MS = 60_000;

/** When a pass follows. */
export interface Requeue {
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** The run could not be started: try again with back-off, and at `requeueAfterMs`. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

export interface Settled extends Requeue {
  readonly status: CronJobStatus;
  /** Of what was done, to send in any case. */
  readonly events: readonly CronJobEvent[];
  /** Of what was seen, to send once `status` is stored. */
  readonly transitionEvents: readonly CronJobEvent[];
  /** To count once `status` is stored. */
  readonly passedOver: readonly PassedOver[];
  /** A pass follows at once when `status` is stored: what the schedule wants gave way to a run by hand. */
  readonly again: boolean;
  /** Names of Jobs that this process could not start. */
  readonly failed: ReadonlySet<string>;
}

export function settle(facts: Facts, decision: Decision, applied: Applied): Settled {
  const { started } = applied;
  const status = statusAfter(facts, decision, applied);
  return {
    status,
    events: eventsOfActions(applied),
    transitionEvents: eventsOfTransitions(facts, decision, { started, status }),
    passedOver: slotsPassedOver(facts, decision, started),
    failed:
      'job' in decision
        ? failedAfter(facts.memory.failed, decision.job.metadata.name, started.kind === 'Failed')
        : facts.memory.failed,
    again: decision.kind === 'RunNow' && started.kind !== 'Failed',
    ...requeueOf(facts, decision, { started, status }),
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
  const { status: stored } = write;
  return {
    events: isStored ? settled.transitionEvents : [],
    passedOver: isStored ? settled.passedOver : [],
    prune: jobsToPrune({ ...cronJob, status: stored }, runs, isStored ? status : stored),
    memory: memoryAfter(cronJob.metadata.uid, settled.failed, { status, stored, isStored }),
  };
}

/**
 * When to look again after all. Each part that failed has a back-off of its own, and none delays the next slot.
 * @param backOffsMs How long each of the parts waits before it tries again; `undefined` for one that has nothing to try.
 */
export function requeueAfterPass(
  { requeueAfterMs, retry, retryAfterMs, again }: Settled,
  write: StatusWrite,
  backOffsMs: readonly (number | undefined)[],
): Requeue {
  const isAgain = again && write.kind === 'Stored';
  const waits = [requeueAfterMs, ...backOffsMs, isAgain ? 0 : undefined].filter((wait) => wait !== undefined);
  return {
    retry,
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** When to look again after a pass that failed before it knew more than the CronJob; `undefined` when nothing will start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = nextSlotOf(cronJob, now);
  return next && untilMs(next, now);
}

interface Outcome {
  readonly started: StartResult;
  readonly status: CronJobStatus;
}

function requeueOf(facts: Facts, decision: Decision, { started, status }: Outcome): Requeue {
  if (started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating') return { retry: false };
  const { next, now } = facts;
  const skewCheck = shownFault(status)?.fault === 'ClockSkew' ? new Date(now.getTime() + SKEW_CHECK_MS) : undefined;
  const wakeAt = earliest([next, givenUpAt(facts, decision, started), skewCheck]);
  const retryAfterMs = started.kind === 'Failed' ? started.failure.retryAfterMs : undefined;
  return {
    retry: started.kind === 'Failed' || hasRunNowGivenWay(facts, decision),
    ...(wakeAt === undefined ? {} : { requeueAfterMs: untilMs(wakeAt, now) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
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

/** A run by hand that gave way to a slot comes next; one that waits for active runs is woken by their end. */
function hasRunNowGivenWay(facts: Facts, decision: Decision): boolean {
  const { runNow } = facts;
  const isStarted = decision.kind === 'RunNow' || decision.kind === 'Deleting';
  return runNow.kind === 'Due' && !isStarted && !waitingJobs(facts, decision).includes(runNow.jobName);
}

function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  const [first] = times
    .filter((time) => time !== undefined)
    .toSorted((left, right) => left.getTime() - right.getTime());
  return first;
}

function untilMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}
