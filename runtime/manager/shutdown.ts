/**
 * Computes the maximum time that a manager needs to stop. If the grace period of the Pod is shorter than this time, the
 * kubelet may kill the manager before it has released the lease.
 */

import { EVENT_FLUSH_TIMEOUT_MS } from '../events/flush-recorders.ts';
import { DEFAULT_STOP_TIMEOUT_MS } from '../http/http-server.ts';
import { computeRequestTimeoutMs, DEFAULT_TIMINGS } from '../leader-election/leader-elector.ts';

export interface ShutdownOptions {
  readonly gracefulShutdownTimeoutMs: number;
  readonly webhookShutdownDelayMs: number;
}

/**
 * Time for the steps without a timeout: reconciles return after an abort, and caches, connections and the log close.
 */
const CLOSE_TIMEOUT_MS = 5_000;

/** Returns the sum of all timeouts during a shutdown, in milliseconds. */
export function longestShutdownMs({ gracefulShutdownTimeoutMs, webhookShutdownDelayMs }: ShutdownOptions): number {
  return (
    gracefulShutdownTimeoutMs +
    computeRequestTimeoutMs(DEFAULT_TIMINGS) + // releases the lease
    EVENT_FLUSH_TIMEOUT_MS +
    webhookShutdownDelayMs +
    DEFAULT_STOP_TIMEOUT_MS +
    CLOSE_TIMEOUT_MS
  );
}
