import type { EventType } from './core-event.ts';
import { COMBINED, type EventBudget, type EventSeries } from './event-series.ts';

/** Requests about one object that may go out at once. */
const BUDGET = 25;
/** How soon one comes back: for Warnings as in client-go; for others often enough for the three new Events of a run every three minutes. */
const REFILL_S = { Warning: 300, Normal: 60 } as const satisfies Record<EventType, number>;

/** Series of one object that are remembered: reasons are from a fixed set, but a mistake may make ever new ones. */
const MAX_SERIES = 100;

/** What makes occurrences count in one series. */
export type SeriesKind = Pick<EventSeries, 'type' | 'reason' | 'wording'>;

/** What is remembered of an object: its series, and what is left of its budgets. */
export class ObjectMemory implements EventBudget {
  /** The first of a list. */
  #series: EventSeries | undefined;
  /** When the budget is whole again, in seconds: all that a token bucket has to know. */
  #warningsWholeAtS = 0;
  #othersWholeAtS = 0;

  add(series: EventSeries): void {
    series.next = this.#series;
    this.#series = series;
    let last = series;
    for (let length = 1; length < MAX_SERIES && last.next !== undefined; length++) last = last.next;
    last.next = undefined;
  }

  /** The series that such an occurrence counts in, if there is one. Forgets those that were last seen before `sinceS`. */
  find({ type, reason, wording }: SeriesKind, sinceS: number): EventSeries | undefined {
    let combined: EventSeries | undefined;
    let before: EventSeries | undefined;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.seenAtS < sinceS) {
        if (before === undefined) this.#series = series.next;
        else before.next = series.next;
        continue;
      }
      before = series;
      if (series.reason !== reason || series.type !== type) continue;
      if (series.wording === wording) return series;
      if (series.wording === COMBINED) combined = series;
    }
    return combined;
  }

  countAlike({ type, reason }: SeriesKind): number {
    let count = 0;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.reason === reason && series.type === type) count++;
    }
    return count;
  }

  spend(type: EventType, nowS: number): number {
    const refillS = REFILL_S[type];
    const wholeAtS = Math.max(nowS, type === 'Warning' ? this.#warningsWholeAtS : this.#othersWholeAtS);
    const waitS = wholeAtS - nowS - (BUDGET - 1) * refillS;
    if (waitS > 0) return waitS;
    if (type === 'Warning') this.#warningsWholeAtS = wholeAtS + refillS;
    else this.#othersWholeAtS = wholeAtS + refillS;
    return 0;
  }
}
