import type { CronFields } from './cron-fields.ts';

/** The minutes of a day, 0 to 1439, at which a schedule fires on the days it fires at all. */
export class TimesOfDay {
  readonly first: number;
  readonly last: number;
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];

  constructor({ minutes, hours }: Pick<CronFields, 'minutes' | 'hours'>) {
    this.#minutes = minutes;
    this.#hours = hours;
    this.first = timeOf(hours[0], minutes[0]);
    this.last = timeOf(hours.at(-1), minutes.at(-1));
  }

  /** The first of them at or after `minuteOfDay`; -1 when there is none that day. */
  atOrAfter(minuteOfDay: number): number {
    if (minuteOfDay > this.last) return -1;
    const hour = Math.floor(minuteOfDay / 60);
    const minute = this.#hours.includes(hour) ? this.#minutes.find((each) => each >= minuteOfDay % 60) : undefined;
    if (minute !== undefined) return timeOf(hour, minute);
    return timeOf(
      this.#hours.find((each) => each > hour),
      this.#minutes[0],
    );
  }

  /** The last of them at or before `minuteOfDay`; -1 when there is none that day. */
  atOrBefore(minuteOfDay: number): number {
    if (minuteOfDay < this.first) return -1;
    const hour = Math.floor(minuteOfDay / 60);
    const minute = this.#hours.includes(hour) ? this.#minutes.findLast((each) => each <= minuteOfDay % 60) : undefined;
    if (minute !== undefined) return timeOf(hour, minute);
    return timeOf(
      this.#hours.findLast((each) => each < hour),
      this.#minutes.at(-1),
    );
  }
}

/** The fields have at least one value each. */
function timeOf(hour = 0, minute = 0): number {
  return hour * 60 + minute;
}
