/** Converts dates of the Gregorian calendar to epoch days and back. An epoch day is the number of days since 1970-01-01. */

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

/** An era is 400 years, after which the Gregorian calendar repeats. */
const DAYS_PER_ERA = 146_097;
/** The number of days from 0000-03-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_468;
const THURSDAY = 4;

export function toEpochDay(year: number, month: number, day: number): number {
  // The calculation uses years that start in March, so that the leap day is the last day of a year.
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
}

export function toCivilDate(epochDay: number): CivilDate {
  const daysSinceStart = epochDay + DAYS_TO_EPOCH;
  const era = Math.floor(daysSinceStart / DAYS_PER_ERA);
  const dayOfEra = daysSinceStart - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Returns the weekday from 0 (Sunday) to 6. */
export function toWeekday(epochDay: number): number {
  return (((epochDay + THURSDAY) % 7) + 7) % 7;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
