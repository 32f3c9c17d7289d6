/**
 * The other CronJobs, which come first. The queue of the simulation has no crowd: a request that must wait for it comes after some time.
 */
import type { ReconcileContext, Result } from '../../runtime/controller/reconcile.ts';

export interface Crowd {
  /** How long other CronJobs come before the status of a start, in milliseconds. */
  readonly atStatusMs: number;
  /** How long other CronJobs come before the deletion of history, in milliseconds. */
  readonly atHistoryMs: number;
}

/** For the context of a pass without other CronJobs. */
export const ALONE = { lowerPriority: () => true, othersWait: () => false } as const;

/** The context of a pass with other CronJobs. */
export function inCrowd({ atStatusMs, atHistoryMs }: Crowd, context: ReconcileContext): ReconcileContext {
  return {
    ...context,
    lowerPriority: () => atStatusMs === 0 && context.lowerPriority(),
    othersWait: () => atHistoryMs > 0 || context.othersWait(),
  };
}

/** The result of the pass, delayed by the crowd. */
export function afterCrowd(result: Result, { atStatusMs, atHistoryMs }: Crowd): Result {
  const crowdMs = Math.max(atStatusMs, atHistoryMs);
  if (result.requeue !== 'low' || crowdMs === 0) return result;
  const { requeue: _, requeueAfterMs = Number.POSITIVE_INFINITY, ...others } = result;
  return { ...others, requeueAfterMs: Math.min(requeueAfterMs, crowdMs) };
}
