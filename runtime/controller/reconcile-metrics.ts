import type { QueueMetrics } from '../workqueue/queue-metrics.ts';

export const RECONCILE_OUTCOMES = ['success', 'error', 'requeue', 'requeue_after'] as const;

/** Outcome of a reconcile. The metrics show the outcome as the label `result`. */
export type ReconcileOutcome = (typeof RECONCILE_OUTCOMES)[number];

export interface ReconcileMetrics {
  setMaxConcurrentReconciles(count: number): void;
  recordStart(): void;
  recordEnd(outcome: ReconcileOutcome, durationMs: number): void;
  /**
   * Counts a failed reconcile that is not retried. The controller also calls {@link recordEnd} for such a reconcile.
   */
  recordTerminalError(): void;
  /** Increments the error counter after the rejection of a promise that a reconcile did not await. */
  recordUnhandledRejection(): void;
}

/** Creates the metrics of a controller. */
export interface ControllerMetrics {
  reconcile(controller: string): ReconcileMetrics;
  queue(controller: string): QueueMetrics;
}
