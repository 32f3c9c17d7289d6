import type { Clock } from '../clock/clock.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';

/**
 * For each key, how long to wait after a call that failed. Starts no call: {@link remainingMs} says when the next attempt may be.
 * @typeParam Failure What is kept of the last failure.
 */
export class BackOff<Failure = undefined> {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  readonly #failures = new Map<string, Failure>();
  /** On the monotonic clock. */
  readonly #untilMs = new Map<string, number>();

  /** @param limits Defaults as for a work queue: 5 ms, doubled with each failure, to 1000 s. */
  constructor(clock: Clock, limits?: RateLimits) {
    this.#clock = clock;
    this.#rateLimiter = new RateLimiter(clock, limits);
  }

  /**
   * The call failed.
   * @param leastWaitMs The wait that the server asked for, in milliseconds. Default 0.
   * @returns How long until the next attempt, in milliseconds.
   */
  failed(key: string, failure: Failure, leastWaitMs = 0): number {
    this.#failures.set(key, failure);
    const waitMs = Math.max(leastWaitMs, this.#rateLimiter.next(key));
    this.#untilMs.set(key, this.#clock.monotonicMs() + waitMs);
    return waitMs;
  }

  /** The last failure; `undefined` when the call has worked since, or has not failed. */
  failure(key: string): Failure | undefined {
    return this.#failures.get(key);
  }

  /** How long until the next attempt, in milliseconds: 0 when it may be now, `undefined` when none is waited for. */
  remainingMs(key: string): number | undefined {
    const untilMs = this.#untilMs.get(key);
    return untilMs === undefined ? undefined : Math.max(0, untilMs - this.#clock.monotonicMs());
  }

  /** Ends the wait without a success: the next failure waits longer than the last. */
  endWait(key: string): void {
    this.#untilMs.delete(key);
  }

  /** The call works, or is not needed any more. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
    this.#failures.delete(key);
    this.#untilMs.delete(key);
  }
}
