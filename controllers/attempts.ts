/** Calls that failed and are tried again later. */
import { BackOff, type Clock, type RateLimits } from 'controller-runtime';

/**
 * Attempts at one kind of call, by the key of the CronJob: after each failure the next one waits longer.
 * @typeParam F What is kept of a failure.
 */
export class Attempts<F> {
  readonly #backOff: BackOff;
  readonly #failures = new Map<string, F>();

  /** @param limits Default: 5 ms, doubled with each failure, to 1000 s. */
  constructor(clock: Clock, limits?: RateLimits) {
    this.#backOff = new BackOff(clock, limits);
  }

  /** The last failure, if the call has not worked since. */
  failure(key: string): F | undefined {
    return this.#failures.get(key);
  }

  /** How long until the next attempt, in milliseconds: 0 when it may be now, `undefined` when none is needed. */
  remainingMs(key: string): number | undefined {
    return this.#backOff.remainingMs(key);
  }

  /**
   * @param leastWaitMs Default 0.
   * @returns How long until the next attempt, in milliseconds.
   */
  failed(key: string, failure: F, leastWaitMs?: number): number {
    this.#failures.set(key, failure);
    this.#backOff.failed(key, leastWaitMs);
    return this.#backOff.remainingMs(key) ?? 0;
  }

  /** Nothing is left to attempt now. The next failure waits as if there had been no success in between. */
  endWait(key: string): void {
    this.#backOff.lift(key);
  }

  /** The call works, or the CronJob is gone. */
  forget(key: string): void {
    this.#backOff.forget(key);
    this.#failures.delete(key);
  }
}
