import { describePeriod } from './describe.ts';
import type { DstNote } from './dst-note.ts';
import {
  type BetweenOptions,
  firstInstants,
  instantsBetween,
  iterateInstants,
  type Schedule,
  toUnixMs,
} from './schedule.ts';

/** A schedule from `@every`, which fires at anchor + k × period, for k = 1, 2, … */
export class EverySchedule implements Schedule {
  readonly kind = 'every';
  readonly #anchorMs: number;
  readonly #periodMs: number;

  /**
   * @param anchor The constructor rounds the anchor down to a whole second.
   * @param periodMs A positive multiple of 1000.
   */
  constructor(anchor: Date, periodMs: number) {
    this.#anchorMs = Math.floor(toUnixMs(anchor) / 1000) * 1000;
    this.#periodMs = periodMs;
  }

  next(after: Date): Date | undefined {
    return this.#toInstant(Math.max(1, this.#countPeriods(after) + 1));
  }

  previous(notAfter: Date): Date | undefined {
    const periodCount = this.#countPeriods(notAfter);
    return periodCount < 1 ? undefined : this.#toInstant(periodCount);
  }

  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[] {
    return instantsBetween(this, after, until, options);
  }

  take(count: number, after: Date): readonly Date[] {
    return firstInstants(this, count, after);
  }

  timesAfter(after: Date): Generator<Date, void> {
    return iterateInstants(this, after);
  }

  describe(): string {
    return describePeriod(this.#periodMs);
  }

  dstNotes(from: Date): readonly DstNote[] {
    toUnixMs(from);
    return [];
  }

  #countPeriods(instant: Date): number {
    return Math.floor((toUnixMs(instant) - this.#anchorMs) / this.#periodMs);
  }

  #toInstant(periodCount: number): Date {
    return new Date(this.#anchorMs + periodCount * this.#periodMs);
  }
}
