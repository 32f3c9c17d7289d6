import type { Clock } from '../clock/clock.ts';
import { parseKey } from '../kubernetes/resource.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface RateLimits {
  /** Wait after a key's first failure, in milliseconds; doubles with each further failure. Default 5. */
  readonly baseDelayMs?: number;
  /** Longest wait of one key, in milliseconds. Default 1,000,000 (about 17 minutes). */
  readonly maxDelayMs?: number;
  /** Retries per second over all keys of a namespace, once its burst is used up. Default 10. */
  readonly retriesPerSecond?: number;
  /** Maximum number of retries at once before that rate applies. Default 100. */
  readonly burst?: number;
}

const SHORT_DELAY_MS = 1000;

/**
 * Computes how long a failed key waits: the longer of its own exponential back-off and the wait from the token bucket
 * of its namespace. The defaults are controller-runtime's, which has one bucket for all namespaces: there, failures in
 * one namespace wait behind failures in others.
 */
export class RateLimiter {
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #failures = new Map<string, number>();
  /** By namespace. */
  readonly #buckets: TokenBuckets;

  constructor(clock: Clock, limits: RateLimits = {}) {
    const { baseDelayMs = 5, maxDelayMs = 1_000_000, retriesPerSecond: perSecond = 10, burst = 100 } = limits;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#buckets = new TokenBuckets(clock, { perSecond, burst, maxWaitMs: maxDelayMs });
  }

  /** Counts another failure of `key`; returns how long to wait, in milliseconds. */
  nextDelayMs(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const ownMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** failures);
    return Math.max(ownMs, this.#buckets.take(parseKey(key).namespace ?? ''));
  }

  /** Records a success of `key`: its next failure counts as the first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /**
   * Shortens the wait after the next failure of `key` to about a second, because the cause may be gone. Later waits are
   * unchanged.
   */
  shortenNextDelay(key: string): void {
    const failures = Math.max(0, Math.ceil(Math.log2(SHORT_DELAY_MS / this.#baseDelayMs)));
    if (this.failures(key) > failures) this.#failures.set(key, failures);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
