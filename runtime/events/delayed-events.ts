import type { Cancel, Clock } from '../clock/clock.ts';
import type { EventSeries } from './event-series.ts';

/**
 * Delays event series until their next request is due. One timer releases all series that are due in the same second.
 */
export class DelayedEvents {
  readonly #clock: Clock;
  readonly #onDue: (series: EventSeries) => void;
  /** The delayed series, by due time in seconds on the monotonic clock. */
  readonly #seriesByDueSecond = new Map<number, EventSeries[]>();
  #nextDueS = Number.POSITIVE_INFINITY;
  #cancelTimer: Cancel = () => {};

  constructor(clock: Clock, onDue: (series: EventSeries) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get isEmpty(): boolean {
    return this.#seriesByDueSecond.size === 0;
  }

  add(series: EventSeries, delayS: number): void {
    const dueS = Math.floor(this.#clock.monotonicMs() / 1000) + delayS;
    const dueSeries = this.#seriesByDueSecond.get(dueS);
    if (dueSeries === undefined) this.#seriesByDueSecond.set(dueS, [series]);
    else dueSeries.push(series);
    if (dueS < this.#nextDueS) this.#scheduleNext(dueS);
  }

  /** Releases all delayed series immediately. */
  clear(): void {
    const allSeries = [...this.#seriesByDueSecond.values()];
    this.#seriesByDueSecond.clear();
    this.#scheduleNext(Number.POSITIVE_INFINITY);
    for (const series of allSeries.flat()) this.#onDue(series);
  }

  #scheduleNext(nextDueS: number): void {
    this.#cancelTimer();
    this.#nextDueS = nextDueS;
    if (nextDueS === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.schedule(nextDueS * 1000 - this.#clock.monotonicMs(), () => {
      const dueSeries = this.#seriesByDueSecond.get(nextDueS) ?? [];
      this.#seriesByDueSecond.delete(nextDueS);
      this.#scheduleNext(Math.min(...this.#seriesByDueSecond.keys()));
      for (const series of dueSeries) this.#onDue(series);
    });
  }
}
