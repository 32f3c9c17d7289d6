/** What is left to do once the plan has been carried out: the status to store, the events to send, when to look again. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Applied, Started } from './applied.ts';
import { type CronJobEvent, eventsOfActions, eventsOfTransitions } from './events.ts';
import { isPruningPending } from './history.ts';
import type { Observed } from './observed.ts';
import type { Outcome, Plan } from './plan.ts';
import { nextSlot, statusAfter } from './status.ts';

/** Wake-ups come this much after the slot, so that the clock has passed it for sure. */
export const SCHEDULE_SLACK_MS = 2;

export interface Settled {
  readonly status: CronJobStatus;
  /** To send in any case. */
  readonly actionEvents: readonly CronJobEvent[];
  /** To send once `status` is stored. */
  readonly transitionEvents: readonly CronJobEvent[];
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** Try again with back-off, or at `requeueAfterMs` if that is earlier. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

export function settle(observed: Observed, plan: Plan, applied: Applied, now: Date): Settled {
  const { started } = applied;
  const status = statusAfter(observed, plan, started, now);
  const wakeAt = isPruningPending(observed.cronJob, status, plan.runs)
    ? now
    : nextWakeUp(observed, plan.outcome, started, now);
  return {
    status,
    actionEvents: eventsOfActions(applied),
    transitionEvents: eventsOfTransitions(observed, plan),
    ...(wakeAt === undefined ? {} : { requeueAfterMs: untilMs(wakeAt, now) }),
    ...retryOf(started),
  };
}

function nextWakeUp({ cronJob }: Observed, outcome: Outcome, started: Started, now: Date): Date | undefined {
  if (started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating') return undefined;
  const next = nextSlot(outcome, now);
  const { startingDeadlineSeconds } = cronJob.spec;
  if (outcome.kind !== 'Blocked' || startingDeadlineSeconds === undefined) return next;
  // A slot that waits is given up when its deadline passes, and that has to be seen.
  const givenUpAt = new Date(outcome.slot.getTime() + startingDeadlineSeconds * 1000);
  return next === undefined || givenUpAt < next ? givenUpAt : next;
}

function untilMs(instant: Date, now: Date): number {
  const leftMs = instant.getTime() - now.getTime();
  return leftMs > 0 ? leftMs + SCHEDULE_SLACK_MS : 0;
}

function retryOf(started: Started): Pick<Settled, 'retry' | 'retryAfterMs'> {
  if (started.kind !== 'Failed' || started.failure.kind === 'NamespaceTerminating') return { retry: false };
  const { retryAfterMs } = started.failure;
  return { retry: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
