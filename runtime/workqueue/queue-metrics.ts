/** Gauges of a queue, which are read at each scrape. */
export interface QueueGauges {
  /** Returns the number of keys that wait for a worker. */
  depth(): number;
  /** Returns the total time that workers have spent on the keys in progress. */
  unfinishedMs(): number;
  /** Returns the time that a worker has spent on the oldest key in progress, or 0 if the queue is idle. */
  longestRunningMs(): number;
}

export interface QueueMetrics {
  /** Counts an added key. A key that is already waiting is not counted again. */
  recordAdd(): void;
  /**
   * Called when a worker starts to process a key.
   * @param waitMs Time for which the key waited.
   */
  recordStart(waitMs: number): void;
  recordEnd(durationMs: number): void;
  /** Counts a key that was added again with back-off. */
  recordRetry(): void;
  /** Adds the gauges of the queue to the metrics. The queue calls `observe` once. */
  observe(queue: QueueGauges): void;
}
