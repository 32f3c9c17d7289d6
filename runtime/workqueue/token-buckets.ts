import type { Clock } from '../clock/clock.ts';

export interface TokenBucketLimits {
  /** Tokens per second of each bucket. */
  readonly perSecond: number;
  /** Capacity of a bucket, and its initial number of tokens. */
  readonly burst: number;
  /** Longest wait for a token, in milliseconds. */
  readonly maxWaitMs: number;
}

interface Bucket {
  /** May be negative: tokens that are promised to waiting callers. */
  readonly tokens: number;
  readonly refilledMs: number;
}

/** A token bucket for each flow: a flow that exceeds its rate does not delay others. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #limits: TokenBucketLimits;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limits: TokenBucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Takes a token of `flow`; returns how long to wait for it, in milliseconds. */
  take(flow: string): number {
    const { perSecond, maxWaitMs } = this.#limits;
    const tokens = Math.max(this.#availableTokens(this.#buckets.get(flow)) - 1, (-maxWaitMs * perSecond) / 1000);
    this.#buckets.delete(flow);
    this.#dropFullBuckets();
    this.#buckets.set(flow, { tokens, refilledMs: this.#clock.monotonicMs() });
    return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
  }

  #availableTokens(bucket: Bucket | undefined): number {
    const { perSecond, burst } = this.#limits;
    if (bucket === undefined) return burst;
    const refill = ((this.#clock.monotonicMs() - bucket.refilledMs) / 1000) * perSecond;
    return Math.min(burst, bucket.tokens + refill);
  }

  /** A full bucket equals a missing one. Over time there may be as many flows as namespaces. */
  #dropFullBuckets(): void {
    for (const [flow, bucket] of this.#buckets) {
      if (this.#availableTokens(bucket) < this.#limits.burst) return;
      this.#buckets.delete(flow);
    }
  }
}
