import { type Schedule, slotsBetween } from './schedule-type.ts';

/** `@every`: the instants anchor + k·period, k = 1, 2, …; where the grid lies never depends on when one asks. */
export class EverySchedule implements Schedule {
  readonly #anchorMs: number;
  readonly #periodMs: number;

  /** @param anchor Its fraction of a second is dropped. @param periodMs Whole seconds, at least one. */
  constructor(anchor: Date, periodMs: number) {
    this.#anchorMs = Math.floor(anchor.getTime() / 1000) * 1000;
    this.#periodMs = periodMs;
  }

  next(after: Date): Date | undefined {
    const periods = Math.floor((after.getTime() - this.#anchorMs) / this.#periodMs);
    return this.#slot(Math.max(1, periods + 1));
  }

  previous(notAfter: Date): Date | undefined {
    const periods = Math.floor((notAfter.getTime() - this.#anchorMs) / this.#periodMs);
    return periods < 1 ? undefined : this.#slot(periods);
  }

  between(after: Date, until: Date, limit: number): readonly Date[] {
    return slotsBetween(this, after, until, limit);
  }

  #slot(periods: number): Date {
    return new Date(this.#anchorMs + periods * this.#periodMs);
  }
}
