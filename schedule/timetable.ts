import type { CronSchedule } from './cron-schedule.ts';
import { describeValue } from './describe-value.ts';
import {
  type BetweenOptions,
  firstInstants,
  instantsBetween,
  iterateInstants,
  type Schedule,
  toUnixMs,
} from './schedule.ts';
import type { TimeZone } from './time-zone.ts';

/** A sequence of instants, from one schedule or from several combined schedules. */
export interface Timetable extends Pick<Schedule, 'next' | 'between' | 'take' | 'timesAfter'> {
  /**
   * Like {@link Schedule.previous}. May omit an instant at or before `after`, because a search through excluded time
   * ends at `after`.
   */
  previous(notAfter: Date, after?: Date): Date | undefined;
}

/** A contiguous span of excluded time. */
interface Coverage {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

/** A set of times at which a timetable does not fire. */
export interface Exclusion {
  /**
   * Returns a span of excluded time that contains `instant`, or `undefined` if `instant` is not excluded. The time before
   * and after the span may also be excluded.
   */
  coverage(instant: Date): Coverage | undefined;
}

/** The methods of a schedule that {@link combineSchedules} calls. */
type SearchableSchedule = Pick<Timetable, 'next' | 'previous'>;

/** Options of {@link combineSchedules}. */
export interface TimetableOptions {
  /** At least one schedule. If several schedules fire at the same instant, the timetable contains the instant once. */
  readonly schedules: readonly SearchableSchedule[];
  /** The timetable has no instants before this time. Default: no start. */
  readonly startTime?: Date | undefined;
  /** The timetable has no instants at or after this time. Default: no end. */
  readonly endTime?: Date | undefined;
  /** The timetable contains no instants that an exclusion covers. Default: no exclusions. */
  readonly exclusions?: readonly Exclusion[];
}

/** The maximum number of excluded spans that one search skips. */
const MAX_SKIPPED_SPANS = 2000;
/**
 * A search skips at most six years of excluded time. The search of a single schedule ends earlier, after five years.
 */
const HORIZON_MS = 6 * 366 * 86_400_000;

/**
 * Combines the instants of several schedules. Throws a TypeError if an element of `schedules` is not a parsed schedule.
 * Every method of the timetable throws a RangeError for an invalid Date, and a TypeError for a time that is not a Date.
 * A search returns `undefined` after six years of excluded time, or after 2,000 spans of excluded time. A search
 * without a result takes milliseconds. A later search that starts in the first half of the excluded time therefore
 * reuses the result.
 */
export function combineSchedules(options: TimetableOptions): Timetable {
  const { schedules, startTime, endTime, exclusions = [] } = options;
  for (const schedule of schedules) assertSchedule(schedule);
  const startMs = startTime === undefined ? Number.NEGATIVE_INFINITY : toUnixMs(startTime);
  const endMs = endTime === undefined ? Number.POSITIVE_INFINITY : toUnixMs(endTime);

  let emptySpan = { fromMs: 0, untilMs: 0 };

  function next(after: Date): Date | undefined {
    const fromMs = Math.max(toUnixMs(after), startMs - 1);
    if (fromMs >= emptySpan.fromMs && fromMs < (emptySpan.fromMs + emptySpan.untilMs) / 2) return undefined;
    const limitMs = Math.min(endMs, fromMs + HORIZON_MS);
    let instant = findEarliestNext(schedules, new Date(fromMs));
    for (
      let spanCount = 0;
      spanCount < MAX_SKIPPED_SPANS && instant !== undefined && instant.getTime() < limitMs;
      spanCount++
    ) {
      const until = findCoverageEnd(exclusions, instant);
      if (until === undefined) return instant;
      instant = findEarliestNext(schedules, new Date(until.getTime() - 1));
    }
    if (instant !== undefined) emptySpan = { fromMs, untilMs: Math.min(instant.getTime(), limitMs) };
    return undefined;
  }

  function previous(notAfter: Date, after?: Date): Date | undefined {
    const untilMs = Math.min(toUnixMs(notAfter), endMs - 1);
    const afterMs = after === undefined ? Number.NEGATIVE_INFINITY : toUnixMs(after);
    const limitMs = Math.max(startMs, afterMs + 1, untilMs - HORIZON_MS);
    let instant = findLatestPrevious(schedules, new Date(untilMs));
    for (
      let spanCount = 0;
      spanCount < MAX_SKIPPED_SPANS && instant !== undefined && instant.getTime() >= limitMs;
      spanCount++
    ) {
      const from = findCoverageStart(exclusions, instant);
      if (from === undefined) return instant;
      instant = findLatestPrevious(schedules, new Date(from.getTime() - 1));
    }
    return undefined;
  }

  const timetable = {
    next,
    previous,
    between: (after: Date, until: Date, options?: BetweenOptions) => instantsBetween(timetable, after, until, options),
    take: (count: number, after: Date) => firstInstants(timetable, count, after),
    timesAfter: (after: Date) => iterateInstants(timetable, after),
  };
  return timetable;
}

function assertSchedule(schedule: SearchableSchedule): void {
  if (typeof schedule?.next !== 'function')
    throw new TypeError(`expected the schedule of a parseSchedule result, not ${describeValue(schedule)}`);
}

function findEarliestNext(schedules: readonly SearchableSchedule[], after: Date): Date | undefined {
  const instants = schedules.map((schedule) => schedule.next(after)).filter((instant) => instant !== undefined);
  return instants.reduce<Date | undefined>(
    (earliest, each) => (earliest === undefined || each < earliest ? each : earliest),
    undefined,
  );
}

function findLatestPrevious(schedules: readonly SearchableSchedule[], notAfter: Date): Date | undefined {
  const instants = schedules.map((schedule) => schedule.previous(notAfter)).filter((instant) => instant !== undefined);
  return instants.reduce<Date | undefined>(
    (latest, each) => (latest === undefined || each > latest ? each : latest),
    undefined,
  );
}

function findCoverageEnd(exclusions: readonly Exclusion[], instant: Date): Date | undefined {
  const ends = exclusions.flatMap((exclusion) => exclusion.coverage(instant)?.until ?? []);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends.map(Number)));
}

function findCoverageStart(exclusions: readonly Exclusion[], instant: Date): Date | undefined {
  const starts = exclusions.flatMap((exclusion) => exclusion.coverage(instant)?.from ?? []);
  return starts.length === 0 ? undefined : new Date(Math.min(...starts.map(Number)));
}

/**
 * Excludes the time from `startTime` up to, but not including, `endTime`. Throws a RangeError if `endTime` is not after
 * `startTime`.
 */
export function excludeSpan(startTime: Date, endTime: Date): Exclusion {
  const [startMs, endMs] = [toUnixMs(startTime), toUnixMs(endTime)];
  if (endMs <= startMs) throw new RangeError('endTime must be after startTime');
  const coverage = { from: new Date(startMs), until: new Date(endMs) };
  return {
    coverage: (instant) => (toUnixMs(instant) >= startMs && instant.getTime() < endMs ? coverage : undefined),
  };
}

const DATE_PATTERN = /^\d{4}-\d\d-\d\d$/;

/** Returns true if `text` is a date that exists, such as `2026-12-25`. */
export function isCalendarDate(text: string): boolean {
  return DATE_PATTERN.test(text) && formatDate(Date.parse(`${text}T00:00:00Z`)) === text;
}

/**
 * Excludes whole days of local time.
 * @param dates Dates such as `2026-12-25`. A date that does not exist causes a RangeError.
 * @param timeZone A zone from {@link loadTimeZone}. The name of a zone causes a TypeError.
 */
export function excludeDates(dates: readonly string[], timeZone: TimeZone): Exclusion {
  if (typeof timeZone?.offsetAt !== 'function')
    throw new TypeError(`expected a time zone from loadTimeZone, not ${describeValue(timeZone)}`);
  const invalidDate = dates.find((date) => !isCalendarDate(date));
  if (invalidDate !== undefined)
    throw new RangeError(`${JSON.stringify(invalidDate)} is not a date such as 2026-12-25`);
  const periods = mergeDays(dates.map((date) => Date.parse(`${date}T00:00:00Z`)));
  return {
    coverage(instant) {
      const { startMs, endMs, offsetMs } = timeZone.offsetAt(toUnixMs(instant));
      const period = findPeriod(periods, instant.getTime() + offsetMs);
      return (
        period && {
          from: new Date(Math.max(startMs, period.fromMs - offsetMs)),
          until: new Date(Math.min(endMs, period.untilMs - offsetMs)),
        }
      );
    },
  };
}

/** A span of consecutive days of local time, in milliseconds as if the time zone were UTC. */
interface Period {
  readonly fromMs: number;
  untilMs: number;
}

/** Merges consecutive days into periods, so that a search skips consecutive days in one step. */
function mergeDays(dayStartsMs: readonly number[]): readonly Period[] {
  const periods: Period[] = [];
  for (const dayStartMs of dayStartsMs.toSorted((left, right) => left - right)) {
    const lastPeriod = periods.at(-1);
    if (lastPeriod !== undefined && dayStartMs <= lastPeriod.untilMs) lastPeriod.untilMs = dayStartMs + DAY_MS;
    else periods.push({ fromMs: dayStartMs, untilMs: dayStartMs + DAY_MS });
  }
  return periods;
}

/** Finds the period that contains a time by binary search. */
function findPeriod(periods: readonly Period[], timeMs: number): Period | undefined {
  let [low, high] = [0, periods.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((periods[middle]?.untilMs ?? 0) <= timeMs) low = middle + 1;
    else high = middle;
  }
  const period = periods[low];
  return period !== undefined && period.fromMs <= timeMs ? period : undefined;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns the date of an instant in UTC, or an empty string for `NaN`. */
function formatDate(instantMs: number): string {
  return Number.isNaN(instantMs) ? '' : new Date(instantMs).toISOString().slice(0, DATE_LENGTH);
}

const DATE_LENGTH = 'yyyy-mm-dd'.length;

/**
 * Excludes each minute at which the schedule fires. For example, `* 2-3 * * 0` excludes Sundays from 02:00 to 04:00.
 * @param schedule A schedule from five fields or from a macro. A schedule from `@every` causes a TypeError.
 */
export function excludeSchedule(schedule: Schedule): Exclusion {
  assertSchedule(schedule);
  if (schedule.kind !== 'cron') throw new TypeError('an exclusion cannot use @every; use five fields');
  const { getMatchingMinutes } = schedule as CronSchedule; // only CronSchedule has the kind cron
  return {
    coverage(instant) {
      const range = getMatchingMinutes.call(schedule, instant);
      return range && { from: range.first, until: new Date(range.last.getTime() + MINUTE_MS) };
    },
  };
}
