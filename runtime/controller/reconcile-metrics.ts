/** Metrics of a controller's reconcile passes. */
import type { QueueMetrics } from '../workqueue/queue-metrics.ts';

export const RECONCILE_OUTCOMES = ['success', 'error', 'requeue', 'requeue_after'] as const;

/** Outcome of a pass; the values of the metric's label `result`. */
export type ReconcileOutcome = (typeof RECONCILE_OUTCOMES)[number];

export interface ReconcileMetrics {
  /** Sets how many passes may run at once. */
  setMaxConcurrentReconciles(count: number): void;
  started(): void;
  finished(outcome: ReconcileOutcome, durationMs: number): void;
  /** Counts a pass with outcome `error` that is not retried. Called in addition to {@link finished}. */
  terminalError(): void;
  /** Counts a rejected promise that a pass, running or finished, did not await. Counts as an error. */
  unhandledRejection(): void;
}

/** The metrics of each controller, by its name. */
export interface ControllerMetrics {
  reconcile(controller: string): ReconcileMetrics;
  queue(controller: string): QueueMetrics;
}
