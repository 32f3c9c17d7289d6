import type { Clock } from '../clock/clock.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';

/**
 * Computes how long each key waits after a failed call. {@link remainingMs} returns the time until the next attempt is
 * allowed.
 * @typeParam Failure Data about the last failure.
 */
export class BackOff<Failure = undefined> {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  readonly #failures = new Map<string, Failure>();
  /** Time of the next attempt, on the monotonic clock. */
  readonly #nextAttemptTimesMs = new Map<string, number>();

  /**
   * @param limits Limits of the waits. Default: 5 ms after the first failure, doubled after each further failure, up to
   * 1000 s.
   */
  constructor(clock: Clock, limits?: RateLimits) {
    this.#clock = clock;
    this.#rateLimiter = new RateLimiter(clock, limits);
  }

  /**
   * Records a failed call.
   * @param serverWaitMs The wait that the server requested, in milliseconds. Default 0.
   * @returns Wait until the next attempt, in milliseconds.
   */
  recordFailure(key: string, lastFailure: Failure, serverWaitMs = 0): number {
    this.#failures.set(key, lastFailure);
    const waitMs = Math.max(serverWaitMs, this.#rateLimiter.nextDelayMs(key));
    this.#nextAttemptTimesMs.set(key, this.#clock.monotonicMs() + waitMs);
    return waitMs;
  }

  /** Returns the data of the last failure, or `undefined` if the last call succeeded. */
  lastFailure(key: string): Failure | undefined {
    return this.#failures.get(key);
  }

  /** Returns the remaining wait in milliseconds: 0 if the wait is over, and `undefined` if the key does not wait. */
  remainingMs(key: string): number | undefined {
    const nextAttemptMs = this.#nextAttemptTimesMs.get(key);
    return nextAttemptMs === undefined ? undefined : Math.max(0, nextAttemptMs - this.#clock.monotonicMs());
  }

  /** Ends the wait of a key, but keeps its back-off: the wait after the next failure is longer than the last wait. */
  endWait(key: string): void {
    this.#nextAttemptTimesMs.delete(key);
  }

  /** Deletes the data of a key whose call has succeeded or is no longer needed. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
    this.#failures.delete(key);
    this.#nextAttemptTimesMs.delete(key);
  }
}
