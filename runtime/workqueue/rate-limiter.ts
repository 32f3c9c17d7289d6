import type { Clock } from '../clock/clock.ts';
import { parseKey } from '../kubernetes/resource.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Limits for the retries of a controller after failed reconciles. */
export interface RateLimits {
  /** Wait after the first failure of a key, in milliseconds. The wait doubles after each further failure. Default 5. */
  readonly baseDelayMs?: number;
  /** Maximum wait of a key, in milliseconds. Default 1,000,000 (about 17 minutes). */
  readonly maxDelayMs?: number;
  /** Maximum number of retries per second and namespace after the burst. Default 10. */
  readonly retriesPerSecond?: number;
  /** Maximum number of immediate retries per namespace. Default 100. */
  readonly burst?: number;
}

const SHORTENED_DELAY_MS = 1000;

/**
 * Computes the wait of a key after a failure. Each key has an exponential back-off, and each namespace has a token
 * bucket; the longer wait applies. The default limits come from Go's controller-runtime. In Go, all namespaces share
 * one bucket, so failures in one namespace delay retries in another.
 */
export class RateLimiter {
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #failures = new Map<string, number>();
  readonly #bucketsByNamespace: TokenBuckets;

  constructor(clock: Clock, limits: RateLimits = {}) {
    const { baseDelayMs = 5, maxDelayMs = 1_000_000, retriesPerSecond: tokensPerSecond = 10, burst = 100 } = limits;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#bucketsByNamespace = new TokenBuckets(clock, {
      tokensPerSecond: tokensPerSecond,
      burst,
      maxWaitMs: maxDelayMs,
    });
  }

  /** Counts a failure of `key`. Returns the wait, in milliseconds. */
  nextDelayMs(key: string): number {
    const failureCount = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failureCount + 1);
    const backOffMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** failureCount);
    return Math.max(backOffMs, this.#bucketsByNamespace.takeToken(parseKey(key).namespace ?? ''));
  }

  /** Resets the back-off of `key`. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Shortens the wait after the next failure of `key` to about a second. Does not affect later waits. */
  shortenNextDelay(key: string): void {
    const maxFailureCount = Math.max(0, Math.ceil(Math.log2(SHORTENED_DELAY_MS / this.#baseDelayMs)));
    if (this.getFailureCount(key) > maxFailureCount) this.#failures.set(key, maxFailureCount);
  }

  getFailureCount(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
