/** What a work queue tells about itself. */

/** State of a queue, read when metrics are scraped. */
export interface QueueGauges {
  /** Requests that are ready and wait for a worker. */
  depth(): number;
  /** Time spent so far on all requests that are being worked on, summed. */
  unfinishedMs(): number;
  /** Age of the oldest request that is being worked on; 0 when there is none. */
  longestRunningMs(): number;
}

export interface QueueMetrics {
  /** A request was put in. A duplicate of one that waits already does not count. */
  added(): void;
  /** A worker took a request that had been ready for `waitedMs`. */
  started(waitedMs: number): void;
  finished(workedMs: number): void;
  /** A request was put back with back-off. */
  retried(): void;
  /** Called once by the queue, so that its gauges can be read at each scrape. */
  observe(queue: QueueGauges): void;
}
