/**
 * The other CronJobs, which come first. The queue of the simulation has no crowd: a request that must wait for it comes after some time.
 */
import type { ReconcileContext, Result } from '../../runtime/controller/reconcile.ts';

export interface Crowd {
  /** How long other CronJobs come before the status of a start, in milliseconds. */
  readonly statusDelayMs: number;
  /** How long other CronJobs come before the deletion of history, in milliseconds. */
  readonly historyDelayMs: number;
}

/** For the context of a reconcile without other CronJobs. */
export const NO_CROWD = { tryContinueAtLowPriority: () => true, hasWaitingObjects: () => false } as const;

/** The context of a reconcile with other CronJobs. */
export function withCrowd({ statusDelayMs, historyDelayMs }: Crowd, context: ReconcileContext): ReconcileContext {
  return {
    ...context,
    tryContinueAtLowPriority: () => statusDelayMs === 0 && context.tryContinueAtLowPriority(),
    hasWaitingObjects: () => historyDelayMs > 0 || context.hasWaitingObjects(),
  };
}

/** The result of the reconcile, delayed by the crowd. */
export function delayByCrowd(result: Result, { statusDelayMs, historyDelayMs }: Crowd): Result {
  const crowdMs = Math.max(statusDelayMs, historyDelayMs);
  if (result.requeue !== 'low' || crowdMs === 0) return result;
  const { requeue: _, requeueAfterMs = Number.POSITIVE_INFINITY, ...others } = result;
  return { ...others, requeueAfterMs: Math.min(requeueAfterMs, crowdMs) };
}
