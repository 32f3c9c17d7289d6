import { daysInMonth, toCivilDate, toEpochDay, toWeekday } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';

/** A set of days of a month, as a bit mask. Bit 1 is the first day. */
type DayMask = number;

const ALL_DAYS: DayMask = -2;

/** The days on which a schedule fires, as epoch days. */
export class MatchingDays {
  /** A bit mask, in which bit 1 is January. */
  readonly #monthMask: number;
  readonly #daysOfMonth: DayMask;
  /** The days of a month with a matching weekday. The index is the weekday of the first day of the month. */
  readonly #daysByFirstWeekday: readonly DayMask[];
  /**
   * Whether a day matches if only one of the two day fields matches. If one of the fields is a star, both must match.
   */
  readonly #isOneFieldEnough: boolean;

  constructor(fields: Omit<CronFields, 'minutes' | 'hours'>) {
    this.#monthMask = toMask(fields.months);
    this.#daysOfMonth = toMask(fields.daysOfMonth);
    const weekdaysMask = toMask(fields.daysOfWeek);
    this.#daysByFirstWeekday = [0, 1, 2, 3, 4, 5, 6].map((first) => toWeekdayMask(weekdaysMask, first));
    this.#isOneFieldEnough = !fields.isDayOfMonthStar && !fields.isDayOfWeekStar;
  }

  includes(epochDay: number): boolean {
    const { year, month, day } = toCivilDate(epochDay);
    return (this.#findDaysInMonth(year, month, epochDay - day + 1) & (1 << day)) !== 0;
  }

  /** Returns the first matching day from `epochDay` to `lastDay`. */
  atOrAfter(epochDay: number, lastDay: number): number | undefined {
    let { year, month, day } = toCivilDate(epochDay);
    for (let monthStart = epochDay - day + 1; monthStart <= lastDay; monthStart = toEpochDay(year, month, 1)) {
      const dayMask = this.#findDaysInMonth(year, month, monthStart) & (-1 << day);
      if (dayMask !== 0) {
        const match = monthStart + findLowestBit(dayMask) - 1;
        return match <= lastDay ? match : undefined;
      }
      day = 1;
      month = month === 12 ? 1 : month + 1;
      if (month === 1) year++;
    }
    return undefined;
  }

  /** Returns the last matching day from `firstDay` to `epochDay`. */
  atOrBefore(epochDay: number, firstDay: number): number | undefined {
    let { year, month, day } = toCivilDate(epochDay);
    while (toEpochDay(year, month, day) >= firstDay) {
      const monthStart = toEpochDay(year, month, 1);
      const dayMask = this.#findDaysInMonth(year, month, monthStart) & ((2 << day) - 1);
      if (dayMask !== 0) {
        const match = monthStart + findHighestBit(dayMask) - 1;
        return match >= firstDay ? match : undefined;
      }
      month = month === 1 ? 12 : month - 1;
      if (month === 12) year--;
      day = daysInMonth(year, month);
    }
    return undefined;
  }

  /** @param monthStart The epoch day of the first day of the month. */
  #findDaysInMonth(year: number, month: number, monthStart: number): DayMask {
    if ((this.#monthMask & (1 << month)) === 0) return 0;
    const daysOfMatchingWeekdays = this.#daysByFirstWeekday[toWeekday(monthStart)] ?? 0;
    const dayMask = this.#isOneFieldEnough
      ? this.#daysOfMonth | daysOfMatchingWeekdays
      : this.#daysOfMonth & daysOfMatchingWeekdays;
    return dayMask & ((2 << daysInMonth(year, month)) - 1) & ALL_DAYS;
  }
}

function toMask(values: readonly number[]): number {
  return values.reduce((mask, value) => mask | (1 << value), 0);
}

/**
 * @param weekdaysMask A bit mask, in which bit 0 is Sunday.
 * @param firstWeekday The weekday of the first day of the month.
 */
function toWeekdayMask(weekdaysMask: number, firstWeekday: number): DayMask {
  // The mask of days 1 to 7 repeats every seven days.
  const firstWeekMask = (((weekdaysMask >> firstWeekday) | (weekdaysMask << (7 - firstWeekday))) & 0b111_1111) << 1;
  return firstWeekMask | (firstWeekMask << 7) | (firstWeekMask << 14) | (firstWeekMask << 21) | (firstWeekMask << 28);
}

function findLowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

function findHighestBit(mask: number): number {
  return 31 - Math.clz32(mask);
}
