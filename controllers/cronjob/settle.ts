/** What is left to do once the plan has been carried out: the status to store, the events to send, when to look again. */
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Applied, Started } from './applied.ts';
import { deadlineMs } from './due-slots.ts';
import { type CronJobEvent, eventsOfActions, eventsOfTransitions } from './events.ts';
import { type Observed, storedCondition } from './observed.ts';
import { nextSlotOf, type Plan } from './plan.ts';
import { statusAfter } from './status.ts';
import { type SlotTally, tallySlots } from './tally.ts';

/** Wake-ups come this much after the slot, so that the clock has passed it for sure. */
export const SCHEDULE_SLACK_MS = 2;
/** A status that is ahead of the clock is fixed by hand, of which no event tells. */
const SKEW_CHECK_MS = 60_000;

export interface Settled {
  readonly status: CronJobStatus;
  /** To send in any case. */
  readonly actionEvents: readonly CronJobEvent[];
  /** To send once `status` is stored. */
  readonly transitionEvents: readonly CronJobEvent[];
  /** To count once `status` is stored. */
  readonly tallies: readonly SlotTally[];
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** A pass follows at once when `status` is stored: what the schedule wants gave way to a run by hand. */
  readonly again: boolean;
  /** The run could not be started: try again with back-off, and at `requeueAfterMs`. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** When to look again after a pass that failed before it knew more than the CronJob; `undefined` when nothing will start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = nextSlotOf(cronJob, now);
  return next && untilMs(next, now);
}

export function settle(observed: Observed, plan: Plan, applied: Applied, now: Date): Settled {
  const { started } = applied;
  const status = statusAfter(observed, plan, applied, now);
  const wakeAt = nextWakeUp(observed, plan, { started, status, now });
  return {
    status,
    actionEvents: eventsOfActions(applied),
    transitionEvents: eventsOfTransitions(observed, plan, { started, status }),
    tallies: tallySlots(plan, started),
    ...(wakeAt === undefined ? {} : { requeueAfterMs: untilMs(wakeAt, now) }),
    again: plan.outcome.kind === 'RunNow' && started.kind !== 'Failed',
    ...retryOf(plan, started),
  };
}

interface Wait {
  readonly started: Started;
  readonly status: CronJobStatus;
  readonly now: Date;
}

function nextWakeUp({ cronJob }: Observed, plan: Plan, { started, status, now }: Wait): Date | undefined {
  if (isNamespaceTerminating(started)) return undefined;
  const { outcome, next } = plan;
  const wakeUps = [next];
  const deadline = deadlineMs(cronJob.spec);
  // A slot that waits is given up when its deadline passes, and that has to be seen.
  const isWaiting = outcome.kind === 'Blocked' || (outcome.kind === 'Run' && started.kind === 'Failed');
  if (isWaiting && deadline !== undefined) wakeUps.push(new Date(outcome.slot.getTime() + deadline));
  const isSkewed = storedCondition(status, 'Degraded')?.reason === 'ClockSkew';
  if (isSkewed) wakeUps.push(new Date(now.getTime() + SKEW_CHECK_MS));
  return earliest(wakeUps);
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

function retryOf({ runNow, waiting, outcome }: Plan, started: Started): Pick<Settled, 'retry' | 'retryAfterMs'> {
  if (isNamespaceTerminating(started)) return { retry: false };
  // A run by hand that gave way to a slot comes next; one that waits for active runs is woken by their end.
  const isStarted = outcome.kind === 'RunNow' || outcome.kind === 'Deleting';
  const hasGivenWay = runNow.kind === 'Due' && !isStarted && !waiting.includes(runNow.jobName);
  const retry = started.kind === 'Failed' || hasGivenWay;
  const retryAfterMs = started.kind === 'Failed' ? started.failure.retryAfterMs : undefined;
  return { retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function isNamespaceTerminating(started: Started): boolean {
  return started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating';
}
