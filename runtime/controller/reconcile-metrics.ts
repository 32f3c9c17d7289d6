/** What a controller tells about its reconcile passes. */
import type { QueueMetrics } from '../workqueue/queue-metrics.ts';

export const RECONCILE_OUTCOMES = ['success', 'error', 'requeue', 'requeue_after'] as const;

/** How a pass ended; the values of the metric's label `result`. */
export type ReconcileOutcome = (typeof RECONCILE_OUTCOMES)[number];

export interface ReconcileMetrics {
  /** How many passes may run at once. */
  setMaxConcurrent(count: number): void;
  started(): void;
  finished(outcome: ReconcileOutcome, durationMs: number): void;
  /** The pass that ends with outcome `error` failed in a way that is not retried. Called besides {@link finished}. */
  terminalError(): void;
  /** A promise rejected that a pass, under way or over, did not await. Counts as an error. */
  unhandledRejection(): void;
}

/** The measures of each controller, by its name. */
export interface ControllerMetrics {
  reconcile(controller: string): ReconcileMetrics;
  queue(controller: string): QueueMetrics;
}
