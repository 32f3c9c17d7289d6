import type { Clock } from '../clock/clock.ts';

export interface TokenBucketLimits {
  /** Number of tokens that each bucket receives per second. */
  readonly tokensPerSecond: number;
  /** Capacity and initial number of tokens of a bucket. */
  readonly burst: number;
  /** Maximum wait for a token, in milliseconds. */
  readonly maxWaitMs: number;
}

interface TokenBucket {
  /** Number of tokens, which is negative if callers wait for tokens. */
  readonly tokens: number;
  readonly lastRefillMs: number;
}

/** Limits the rate of each flow with a separate token bucket. A flow that exceeds its rate delays only itself. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #limits: TokenBucketLimits;
  /** The least recently used bucket comes first. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, limits: TokenBucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Takes a token from the bucket of `flow`. Returns the time to wait for the token, in milliseconds. */
  takeToken(flow: string): number {
    const { tokensPerSecond, maxWaitMs } = this.#limits;
    const tokens = Math.max(this.#availableTokens(this.#buckets.get(flow)) - 1, (-maxWaitMs * tokensPerSecond) / 1000);
    this.#buckets.delete(flow);
    this.#deleteFullBuckets();
    this.#buckets.set(flow, { tokens, lastRefillMs: this.#clock.monotonicMs() });
    return tokens >= 0 ? 0 : (-tokens / tokensPerSecond) * 1000;
  }

  #availableTokens(bucket: TokenBucket | undefined): number {
    const { tokensPerSecond, burst } = this.#limits;
    if (bucket === undefined) return burst;
    const refilledTokens = ((this.#clock.monotonicMs() - bucket.lastRefillMs) / 1000) * tokensPerSecond;
    return Math.min(burst, bucket.tokens + refilledTokens);
  }

  /** Deletes full buckets to save memory, because a new bucket is also full. */
  #deleteFullBuckets(): void {
    for (const [flow, bucket] of this.#buckets) {
      if (this.#availableTokens(bucket) < this.#limits.burst) return;
      this.#buckets.delete(flow);
    }
  }
}
