import type { CronFields } from './cron-fields.ts';
import { ValueSet } from './value-set.ts';

const LAST_MINUTE = 59;
const LAST_HOUR = 23;

/** The times of day at which a schedule fires, in minutes from 0 to 1439. */
export class TimesOfDay {
  readonly first: number;
  readonly last: number;
  readonly isWholeDay: boolean;
  readonly #minutes: ValueSet;
  readonly #hours: ValueSet;
  readonly #firstMinute: number;
  readonly #lastMinute: number;

  constructor({ minutes, hours }: Pick<CronFields, 'minutes' | 'hours'>) {
    this.#minutes = new ValueSet(minutes, LAST_MINUTE);
    this.#hours = new ValueSet(hours, LAST_HOUR);
    this.#firstMinute = this.#minutes.atOrAfter(0);
    this.#lastMinute = this.#minutes.atOrBefore(LAST_MINUTE);
    this.first = this.#hours.atOrAfter(0) * 60 + this.#firstMinute;
    this.isWholeDay = minutes.length === 60 && hours.length === 24;
    this.last = this.#hours.atOrBefore(LAST_HOUR) * 60 + this.#lastMinute;
  }

  /** Returns the first time of day at or after `minuteOfDay`, or -1 if there is none. */
  atOrAfter(minuteOfDay: number): number {
    if (minuteOfDay > this.last) return -1;
    const hour = Math.floor(minuteOfDay / 60);
    if (this.#hours.atOrAfter(hour) === hour) {
      const minute = this.#minutes.atOrAfter(minuteOfDay - hour * 60);
      if (minute >= 0) return hour * 60 + minute;
    }
    return this.#hours.atOrAfter(hour + 1) * 60 + this.#firstMinute;
  }

  /** Returns the last time of day at or before `minuteOfDay`, or -1 if there is none. */
  atOrBefore(minuteOfDay: number): number {
    if (minuteOfDay < this.first) return -1;
    const hour = Math.floor(minuteOfDay / 60);
    if (this.#hours.atOrBefore(hour) === hour) {
      const minute = this.#minutes.atOrBefore(minuteOfDay - hour * 60);
      if (minute >= 0) return hour * 60 + minute;
    }
    return this.#hours.atOrBefore(hour - 1) * 60 + this.#lastMinute;
  }
}
