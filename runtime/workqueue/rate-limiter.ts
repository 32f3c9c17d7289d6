import type { Clock } from '../clock/clock.ts';

export interface RateLimits {
  /** Wait after a key's first failure, in milliseconds; doubles with each further one. Default 5. */
  readonly baseDelayMs?: number;
  /** Longest wait of one key. Default 1,000,000 (about 17 minutes). */
  readonly maxDelayMs?: number;
  /** Retries per second over all keys, once the burst is used up. Default 10. */
  readonly retriesPerSecond?: number;
  /** Retries that may go out at once before that rate holds. Default 100. */
  readonly burst?: number;
}

/**
 * How long a failed key waits: the longer of its own exponential back-off and what an overall token bucket allows. The
 * defaults are controller-runtime's.
 */
export class RateLimiter {
  readonly #limits: Required<RateLimits>;
  readonly #clock: Clock;
  readonly #failures = new Map<string, number>();
  /** May be negative: tokens that have been promised to retries still waiting. */
  #tokens: number;
  #refilledMs: number;

  constructor(clock: Clock, limits: RateLimits = {}) {
    this.#clock = clock;
    this.#limits = { baseDelayMs: 5, maxDelayMs: 1_000_000, retriesPerSecond: 10, burst: 100, ...limits };
    this.#tokens = this.#limits.burst;
    this.#refilledMs = clock.monotonicMs();
  }

  /** Counts one more failure of `key`; returns how long to wait, in milliseconds. */
  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const ownMs = Math.min(this.#limits.maxDelayMs, this.#limits.baseDelayMs * 2 ** failures);
    return Math.max(ownMs, this.#reserve());
  }

  /** `key` succeeded: its next failure counts as the first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  #reserve(): number {
    const { retriesPerSecond, burst } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    const refill = ((nowMs - this.#refilledMs) / 1000) * retriesPerSecond;
    this.#tokens = Math.min(burst, this.#tokens + refill) - 1;
    this.#refilledMs = nowMs;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / retriesPerSecond) * 1000;
  }
}
