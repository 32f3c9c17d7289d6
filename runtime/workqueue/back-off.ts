import type { Clock } from '../clock/clock.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';

/**
 * Tracks for each key how long to wait after a failed call. Does not start calls: {@link remainingMs} returns when the
 * next attempt is allowed.
 * @typeParam Failure Stored data about the last failure.
 */
export class BackOff<Failure = undefined> {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  readonly #failures = new Map<string, Failure>();
  /** On the monotonic clock. */
  readonly #untilMs = new Map<string, number>();

  /** @param limits Defaults of a work queue: 5 ms, doubled with each failure, up to 1000 s. */
  constructor(clock: Clock, limits?: RateLimits) {
    this.#clock = clock;
    this.#rateLimiter = new RateLimiter(clock, limits);
  }

  /**
   * Records a failed call.
   * @param minWaitMs The wait that the server requested, in milliseconds. Default 0.
   * @returns Wait until the next attempt, in milliseconds.
   */
  recordFailure(key: string, lastFailure: Failure, minWaitMs = 0): number {
    this.#failures.set(key, lastFailure);
    const waitMs = Math.max(minWaitMs, this.#rateLimiter.nextDelayMs(key));
    this.#untilMs.set(key, this.#clock.monotonicMs() + waitMs);
    return waitMs;
  }

  /** The last failure; `undefined` when the call has succeeded since, or has not failed. */
  lastFailure(key: string): Failure | undefined {
    return this.#failures.get(key);
  }

  /** Wait until the next attempt, in milliseconds: 0 when it is allowed now, `undefined` when there is no wait. */
  remainingMs(key: string): number | undefined {
    const untilMs = this.#untilMs.get(key);
    return untilMs === undefined ? undefined : Math.max(0, untilMs - this.#clock.monotonicMs());
  }

  /** Ends the wait without a success: the next failure waits longer than the last. */
  endWait(key: string): void {
    this.#untilMs.delete(key);
  }

  /** Forgets a key whose call succeeded or is no longer needed. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
    this.#failures.delete(key);
    this.#untilMs.delete(key);
  }
}
