import type { Clock } from '../clock/clock.ts';

/**
 * Maximum time for which keys of priority `normal` delay a key of priority `low`. Without a maximum, an overloaded process would
 * never process keys of priority `low`.
 */
const MAX_LOW_PRIORITY_WAIT_MS = 10_000;

const NO_KEYS: readonly string[] = [];

/** Measures how long keys wait at low priority, and finds the keys that have waited too long. */
export class LowPriorityWaitTimes {
  readonly #clock: Clock;
  /** For each key that is not overdue, the start of its wait on the monotonic clock, in ascending order. */
  readonly #startsMs = new Map<string, number>();
  /** No key in `#startsMs` has started to wait earlier. */
  #earliestStartMs = 0;
  readonly #overdueKeys = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the wait of a key, unless the key is already waiting. */
  start(key: string): void {
    if (this.#overdueKeys.has(key) || this.#startsMs.has(key)) return;
    const nowMs = this.#clock.monotonicMs();
    if (this.#startsMs.size === 0) this.#earliestStartMs = nowMs;
    this.#startsMs.set(key, nowMs);
  }

  end(key: string): void {
    this.#startsMs.delete(key);
    this.#overdueKeys.delete(key);
  }

  clear(): void {
    this.#startsMs.clear();
    this.#overdueKeys.clear();
  }

  /**
   * Returns true if {@link takeNewlyOverdue} has returned the key and {@link end} has not been called for the key
   * since.
   */
  isOverdue(key: string): boolean {
    return this.#overdueKeys.has(key);
  }

  /** Returns the keys whose wait has exceeded the maximum since the last call. */
  takeNewlyOverdue(): readonly string[] {
    if (this.#startsMs.size === 0) return NO_KEYS;
    const latestOverdueStartMs = this.#clock.monotonicMs() - MAX_LOW_PRIORITY_WAIT_MS;
    if (this.#earliestStartMs > latestOverdueStartMs) return NO_KEYS;
    const keys: string[] = [];
    for (const [key, startMs] of this.#startsMs) {
      this.#earliestStartMs = startMs;
      if (startMs > latestOverdueStartMs) break;
      keys.push(key);
    }
    for (const key of keys) {
      this.#startsMs.delete(key);
      this.#overdueKeys.add(key);
    }
    return keys;
  }
}
