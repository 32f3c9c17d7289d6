/**
 * Keeps events about a busy object from flooding the API server, by client-go's three rules: an event that repeats is
 * counted in the stored one; many that differ only in their message become one; and each object has a budget.
 */
import QuickLRU from 'quick-lru';
import type { Clock } from '../clock/clock.ts';

export type EventType = 'Normal' | 'Warning';

/** Something that happened to an object. */
export interface Occurrence {
  /** Identifies the object, across deletion and re-creation under the same name. */
  readonly objectKey: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** How often the same has happened, and when. One stored Event shows one of these. */
export interface OccurrenceCount {
  /** Of the last occurrence. */
  message: string;
  count: number;
  readonly firstAt: Date;
  lastAt: Date;
}

/** What to do about an occurrence. */
export type Correlation = { readonly kind: 'show'; readonly counted: OccurrenceCount } | { readonly kind: 'tooMany' };

/** How long something must not have happened to count as new. */
const QUIET_MS = 10 * 60_000;
/** From this many different messages on, the object and reason share one Event. */
const MAX_MESSAGES = 10;
const BUDGET = 25;
const BUDGET_REFILL_MS = 5 * 60_000;
/** Objects, and kinds of events, that are remembered; up to twice as many, so at most the 4096 of client-go. */
const MEMORY = 2048;

interface Budget {
  left: number;
  atMs: number;
}

interface Similar {
  readonly messages: Set<string>;
  atMs: number;
}

interface Remembered {
  readonly counted: OccurrenceCount;
  atMs: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #counts = new QuickLRU<string, Remembered>({ maxSize: MEMORY });
  readonly #similar = new QuickLRU<string, Similar>({ maxSize: MEMORY });
  readonly #budgets = new QuickLRU<string, Budget>({ maxSize: MEMORY });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the occurrence. It is counted as well when it is not to be shown, and seen in the next one that is. */
  correlate(occurrence: Occurrence): Correlation {
    const { objectKey, type, reason } = occurrence;
    const groupKey = keyOf(objectKey, type, reason);
    const isOneOfMany = this.#isOneOfMany(groupKey, occurrence.message);
    const message = isOneOfMany ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
    const counted = this.#count(isOneOfMany ? groupKey : keyOf(groupKey, message), message);
    return this.#spend(objectKey) ? { kind: 'show', counted } : { kind: 'tooMany' };
  }

  #isOneOfMany(groupKey: string, message: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    let similar = this.#similar.get(groupKey);
    if (similar === undefined || nowMs - similar.atMs > QUIET_MS) {
      similar = { messages: new Set(), atMs: nowMs };
      this.#similar.set(groupKey, similar);
    }
    similar.messages.add(message);
    similar.atMs = nowMs;
    if (similar.messages.size < MAX_MESSAGES) return false;
    // Stays one short of the limit, so that the next new message is one of many too.
    const [first] = similar.messages;
    if (first !== undefined) similar.messages.delete(first);
    return true;
  }

  #count(key: string, message: string): OccurrenceCount {
    const atMs = this.#clock.monotonicMs();
    const at = this.#clock.now();
    const known = this.#counts.get(key);
    if (known === undefined || atMs - known.atMs > QUIET_MS) {
      const counted = { message, count: 1, firstAt: at, lastAt: at };
      this.#counts.set(key, { counted, atMs });
      return counted;
    }
    known.atMs = atMs;
    known.counted.message = message;
    known.counted.count++;
    known.counted.lastAt = at;
    return known.counted;
  }

  /** Takes one from the object's budget, if there is any left. */
  #spend(objectKey: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#budgets.get(objectKey) ?? { left: BUDGET, atMs: nowMs };
    const left = Math.min(BUDGET, before.left + (nowMs - before.atMs) / BUDGET_REFILL_MS);
    const isEnough = left >= 1;
    this.#budgets.set(objectKey, { left: isEnough ? left - 1 : left, atMs: nowMs });
    return isEnough;
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join('\u0000');
}
