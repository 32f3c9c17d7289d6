/** Metrics of a work queue. */

/** State of a queue, read when metrics are scraped. */
export interface QueueGauges {
  /** Number of requests that are ready and wait for a worker. */
  depth(): number;
  /** Total time spent so far on all requests in progress. */
  unfinishedMs(): number;
  /** Age of the oldest request in progress; 0 without one. */
  longestRunningMs(): number;
}

export interface QueueMetrics {
  /** Counts an added request. A duplicate of a waiting request does not count. */
  added(): void;
  /** Records that a worker took a request that had been ready for `waitedMs`. */
  started(waitedMs: number): void;
  finished(workedMs: number): void;
  /** Counts a request that was added again with back-off. */
  retried(): void;
  /** Called once by the queue, so that its gauges can be read at each scrape. */
  observe(queue: QueueGauges): void;
}
