import { describePeriod } from './describe.ts';
import type { DstNote } from './dst-note.ts';
import { type BetweenOptions, instantsBetween, type Schedule, toUnixMs } from './schedule.ts';

/** `@every`: the instants anchor + k·period, k = 1, 2, …; they never depend on the time of the call. */
export class EverySchedule implements Schedule {
  readonly kind = 'every';
  readonly #anchorMs: number;
  readonly #periodMs: number;

  /**
   * @param anchor Its fraction of a second is dropped.
   * @param periodMs Whole seconds, at least one.
   */
  constructor(anchor: Date, periodMs: number) {
    this.#anchorMs = Math.floor(toUnixMs(anchor) / 1000) * 1000;
    this.#periodMs = periodMs;
  }

  next(after: Date): Date | undefined {
    return this.#instant(Math.max(1, this.#periodsUntil(after) + 1));
  }

  previous(notAfter: Date): Date | undefined {
    const periods = this.#periodsUntil(notAfter);
    return periods < 1 ? undefined : this.#instant(periods);
  }

  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[] {
    return instantsBetween(this, after, until, options);
  }

  describe(): string {
    return describePeriod(this.#periodMs);
  }

  dstNotes(from: Date): readonly DstNote[] {
    toUnixMs(from);
    return [];
  }

  #periodsUntil(instant: Date): number {
    return Math.floor((toUnixMs(instant) - this.#anchorMs) / this.#periodMs);
  }

  #instant(periods: number): Date {
    return new Date(this.#anchorMs + periods * this.#periodMs);
  }
}
