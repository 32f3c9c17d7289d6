import type { Cancel, Clock } from '../clock/clock.ts';
import type { EventSeries } from './event-series.ts';

/**
 * Series whose time has not come. All share one timer: series that are due within the same second are released
 * together.
 */
export class DelayedEvents {
  readonly #clock: Clock;
  readonly #onDue: (series: EventSeries) => void;
  /** By due second, on the steady clock. */
  readonly #due = new Map<number, EventSeries[]>();
  #nextS = Number.POSITIVE_INFINITY;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, onDue: (series: EventSeries) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get isEmpty(): boolean {
    return this.#due.size === 0;
  }

  add(series: EventSeries, delayS: number): void {
    const dueS = Math.floor(this.#clock.monotonicMs() / 1000) + delayS;
    const dueSeries = this.#due.get(dueS);
    if (dueSeries === undefined) this.#due.set(dueS, [series]);
    else dueSeries.push(series);
    if (dueS < this.#nextS) this.#wakeAt(dueS);
  }

  /** Releases all series. */
  clear(): void {
    const all = [...this.#due.values()];
    this.#due.clear();
    this.#wakeAt(Number.POSITIVE_INFINITY);
    for (const series of all.flat()) this.#onDue(series);
  }

  #wakeAt(nextS: number): void {
    this.#cancel();
    this.#nextS = nextS;
    if (nextS === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.schedule(nextS * 1000 - this.#clock.monotonicMs(), () => {
      const due = this.#due.get(nextS) ?? [];
      this.#due.delete(nextS);
      this.#wakeAt(Math.min(...this.#due.keys()));
      for (const series of due) this.#onDue(series);
    });
  }
}
