import { daysInMonth, toCivilDate, toDayNumber, toWeekday } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';

/** Day d of a month is bit d. */
type DayMask = number;

const ALL_DAYS: DayMask = -2;

/** The days on which a schedule fires, as day numbers. It works month by month: a month is one mask. */
export class MatchingDays {
  /** Month m is bit m. */
  readonly #months: number;
  readonly #daysOfMonth: DayMask;
  /** By weekday of the month's first day: the days whose weekday matches. */
  readonly #byWeekday: readonly DayMask[];
  /** Both day fields must match if one of them is a star; otherwise one of the two is enough. */
  readonly #isEitherEnough: boolean;

  constructor(fields: Omit<CronFields, 'minutes' | 'hours'>) {
    this.#months = toMask(fields.months);
    this.#daysOfMonth = toMask(fields.daysOfMonth);
    const weekdays = toMask(fields.daysOfWeek);
    this.#byWeekday = [0, 1, 2, 3, 4, 5, 6].map((first) => weekdayMask(weekdays, first));
    this.#isEitherEnough = !fields.isDayOfMonthStar && !fields.isDayOfWeekStar;
  }

  includes(dayNumber: number): boolean {
    const { year, month, day } = toCivilDate(dayNumber);
    return (this.#matchesInMonth(year, month, dayNumber - day + 1) & (1 << day)) !== 0;
  }

  /** The first matching day at or after `dayNumber` and not after `last`. */
  atOrAfter(dayNumber: number, last: number): number | undefined {
    let { year, month, day } = toCivilDate(dayNumber);
    for (let start = dayNumber - day + 1; start <= last; start = toDayNumber(year, month, 1)) {
      const days = this.#matchesInMonth(year, month, start) & (-1 << day);
      if (days !== 0) {
        const found = start + lowestBit(days) - 1;
        return found <= last ? found : undefined;
      }
      day = 1;
      month = month === 12 ? 1 : month + 1;
      if (month === 1) year++;
    }
    return undefined;
  }

  /** The last matching day at or before `dayNumber` and not before `first`. */
  atOrBefore(dayNumber: number, first: number): number | undefined {
    let { year, month, day } = toCivilDate(dayNumber);
    while (toDayNumber(year, month, day) >= first) {
      const start = toDayNumber(year, month, 1);
      const days = this.#matchesInMonth(year, month, start) & ((2 << day) - 1);
      if (days !== 0) {
        const found = start + highestBit(days) - 1;
        return found >= first ? found : undefined;
      }
      month = month === 1 ? 12 : month - 1;
      if (month === 12) year--;
      day = daysInMonth(year, month);
    }
    return undefined;
  }

  /** @param start Day number of the month's first day. */
  #matchesInMonth(year: number, month: number, start: number): DayMask {
    if ((this.#months & (1 << month)) === 0) return 0;
    const weekdays = this.#byWeekday[toWeekday(start)] ?? 0;
    const days = this.#isEitherEnough ? this.#daysOfMonth | weekdays : this.#daysOfMonth & weekdays;
    return days & ((2 << daysInMonth(year, month)) - 1) & ALL_DAYS;
  }
}

function toMask(values: readonly number[]): number {
  return values.reduce((mask, value) => mask | (1 << value), 0);
}

/**
 * @param weekdays Weekday d is bit d.
 * @param first Weekday of day 1.
 */
function weekdayMask(weekdays: number, first: number): DayMask {
  // The week for days 1 to 7, then repeated every seven days.
  const week = (((weekdays >> first) | (weekdays << (7 - first))) & 0b111_1111) << 1;
  return week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

function highestBit(mask: number): number {
  return 31 - Math.clz32(mask);
}
