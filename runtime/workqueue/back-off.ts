import type { Clock } from '../clock/clock.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';

/** For each key, how long to leave alone something that failed. Asks nobody to come back: {@link remainingMs} says when. */
export class BackOff {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  /** On the steady clock. */
  readonly #untilMs = new Map<string, number>();

  /** @param limits Defaults as for a work queue: 5 ms, doubled with each failure, to 1000 s. */
  constructor(clock: Clock, limits?: RateLimits) {
    this.#clock = clock;
    this.#rateLimiter = new RateLimiter(clock, limits);
  }

  /** It failed once more. @param atLeastMs Wait that the server asked for. Default 0. */
  failed(key: string, atLeastMs = 0): void {
    const delayMs = Math.max(atLeastMs, this.#rateLimiter.next(key));
    this.#untilMs.set(key, this.#clock.monotonicMs() + delayMs);
  }

  /** It works, or there is nothing left to try. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
    this.#untilMs.delete(key);
  }

  /** Nobody has to wait for it any more. Its next failure backs off as if it had not worked in between. */
  lift(key: string): void {
    this.#untilMs.delete(key);
  }

  /** How often it has failed since it last worked. */
  failures(key: string): number {
    return this.#rateLimiter.failures(key);
  }

  /** How long until it may be tried again, in milliseconds: 0 when it may be now, `undefined` when it has not failed. */
  remainingMs(key: string): number | undefined {
    const untilMs = this.#untilMs.get(key);
    return untilMs === undefined ? undefined : Math.max(0, untilMs - this.#clock.monotonicMs());
  }
}
