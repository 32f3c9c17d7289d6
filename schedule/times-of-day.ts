import type { CronFields } from './cron-fields.ts';
import { ValueSet } from './value-set.ts';

const LAST_MINUTE = 59;
const LAST_HOUR = 23;

/** The minutes of a day, 0 to 1439, at which a schedule fires on its days. */
export class TimesOfDay {
  readonly first: number;
  readonly last: number;
  /** Whether the schedule fires at every minute of its days. */
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

  /** The first time at or after `minuteOfDay`; -1 when no time is left that day. */
  atOrAfter(minuteOfDay: number): number {
    if (minuteOfDay > this.last) return -1;
    const hour = Math.floor(minuteOfDay / 60);
    if (this.#hours.atOrAfter(hour) === hour) {
      const minute = this.#minutes.atOrAfter(minuteOfDay - hour * 60);
      if (minute >= 0) return hour * 60 + minute;
    }
    return this.#hours.atOrAfter(hour + 1) * 60 + this.#firstMinute;
  }

  /** The last time at or before `minuteOfDay`; -1 when there is no such time that day. */
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
