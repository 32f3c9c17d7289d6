/** The longest time that a stop takes. A Pod with a shorter grace period is killed while it still holds the lease. */
import { DEFAULT_STOP_TIMEOUT_MS } from '../http/http-server.ts';
import { DEFAULT_TIMINGS, requestTimeoutMs } from '../leader-election/leader-elector.ts';
import { EVENT_FLUSH_TIMEOUT_MS } from './manager.ts';

export interface ShutdownOptions {
  readonly gracefulShutdownTimeoutMs: number;
  readonly webhookShutdownDelayMs: number;
}

/** For steps without their own timeout: aborted passes return, caches and connections close, logs are written. */
const CLOSING_MS = 5_000;

/** The sum of the steps, in the manager's order, in milliseconds. */
export function longestShutdownMs({ gracefulShutdownTimeoutMs, webhookShutdownDelayMs }: ShutdownOptions): number {
  return (
    gracefulShutdownTimeoutMs +
    requestTimeoutMs(DEFAULT_TIMINGS) + // gives the lease back
    EVENT_FLUSH_TIMEOUT_MS +
    webhookShutdownDelayMs +
    DEFAULT_STOP_TIMEOUT_MS +
    CLOSING_MS
  );
}
