/** How long a stop takes at the most. A Pod that is given less is killed in the middle of it, with the lease in its hands. */
import { DEFAULT_STOP_TIMEOUT_MS } from '../http/http-server.ts';
import { DEFAULT_TIMINGS, requestTimeoutMs } from '../leader-election/leader-elector.ts';
import { EVENT_FLUSH_TIMEOUT_MS } from './manager.ts';

export interface ShutdownOptions {
  readonly gracefulShutdownTimeoutMs: number;
  readonly webhookShutdownDelayMs: number;
}

/** For what has no time limit of its own: passes that were aborted come back, caches and connections close, logs go out. */
const CLOSING_MS = 5_000;

/** One after the other, as the manager does it. In milliseconds. */
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
