/** The instants of several schedules together, within a window and without exclusions. */
import type { CronSchedule } from './cron-schedule.ts';
import { type BetweenOptions, instantsBetween, type Schedule, toUnixMs } from './schedule.ts';
import type { TimeZone } from './time-zone.ts';

/** A sequence of instants: a schedule, or several of them combined. */
export type Timetable = Pick<Schedule, 'next' | 'previous' | 'between'>;

/** The time around an instant that an exclusion covers without a break. */
interface Coverage {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

/** Times without runs. */
export interface Exclusion {
  /**
   * Returns covered time that contains `instant`; `undefined` when the exclusion does not cover it. The time before and
   * after the result may be covered too.
   */
  coverage(instant: Date): Coverage | undefined;
}

export interface TimetableOptions {
  /** At least one. An instant of several of them occurs once. */
  readonly schedules: readonly Timetable[];
  /** Instants before this time do not exist. Default: no start. */
  readonly startTime?: Date | undefined;
  /** Instants at this time and later do not exist. Default: no end. */
  readonly endTime?: Date | undefined;
  /** Instants that any of these covers do not exist. Default: none. */
  readonly exclusions?: readonly Exclusion[];
}

/**
 * Limits the work of a search, in which each step leaves a span of covered time: a search that finds only covered
 * instants ends as if none came after them.
 */
const MAX_STEPS = 20_000;

/**
 * Combines schedules. Every method throws a RangeError for an invalid Date. After 20,000 instants in a row that are
 * excluded one by one, the timetable has no further instants; spans of excluded time count once.
 */
export function combineSchedules(options: TimetableOptions): Timetable {
  const { schedules, startTime, endTime, exclusions = [] } = options;
  const startMs = startTime === undefined ? Number.NEGATIVE_INFINITY : toUnixMs(startTime);
  const endMs = endTime === undefined ? Number.POSITIVE_INFINITY : toUnixMs(endTime);

  function next(after: Date): Date | undefined {
    const fromMs = Math.max(toUnixMs(after), startMs - 1);
    let instant = earliestNext(schedules, new Date(fromMs));
    for (let step = 0; step < MAX_STEPS && instant !== undefined && instant.getTime() < endMs; step++) {
      const until = findCoverageEnd(exclusions, instant);
      if (until === undefined) return instant;
      instant = earliestNext(schedules, new Date(until.getTime() - 1));
    }
    return undefined;
  }

  function previous(notAfter: Date): Date | undefined {
    const toMs = Math.min(toUnixMs(notAfter), endMs - 1);
    let instant = latestPrevious(schedules, new Date(toMs));
    for (let step = 0; step < MAX_STEPS && instant !== undefined && instant.getTime() >= startMs; step++) {
      const from = findCoverageStart(exclusions, instant);
      if (from === undefined) return instant;
      instant = latestPrevious(schedules, new Date(from.getTime() - 1));
    }
    return undefined;
  }

  const timetable = {
    next,
    previous,
    between: (after: Date, until: Date, limits?: BetweenOptions) => instantsBetween(timetable, after, until, limits),
  };
  return timetable;
}

function earliestNext(schedules: readonly Timetable[], after: Date): Date | undefined {
  const instants = schedules.map((schedule) => schedule.next(after)).filter((instant) => instant !== undefined);
  return instants.reduce<Date | undefined>(
    (first, each) => (first === undefined || each < first ? each : first),
    undefined,
  );
}

function latestPrevious(schedules: readonly Timetable[], notAfter: Date): Date | undefined {
  const instants = schedules.map((schedule) => schedule.previous(notAfter)).filter((instant) => instant !== undefined);
  return instants.reduce<Date | undefined>(
    (last, each) => (last === undefined || each > last ? each : last),
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

/** Excludes [startTime, endTime). Throws a RangeError when the end is not after the start. */
export function excludeSpan(startTime: Date, endTime: Date): Exclusion {
  const [startMs, endMs] = [toUnixMs(startTime), toUnixMs(endTime)];
  if (endMs <= startMs) throw new RangeError('endTime must be after startTime');
  const coverage = { from: new Date(startMs), until: new Date(endMs) };
  return {
    coverage: (instant) => (toUnixMs(instant) >= startMs && instant.getTime() < endMs ? coverage : undefined),
  };
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Whether `text` is a date of the calendar, such as `2026-12-25`. */
export function isCalendarDate(text: string): boolean {
  return DATE.test(text) && localDate(Date.parse(`${text}T00:00:00Z`)) === text;
}

/**
 * Excludes whole days of local time.
 * @param dates Such as `2026-12-25`. Throws a RangeError for a date that does not exist.
 */
export function excludeDates(dates: readonly string[], timeZone: TimeZone): Exclusion {
  const invalid = dates.find((date) => !isCalendarDate(date));
  if (invalid !== undefined) throw new RangeError(`${JSON.stringify(invalid)} is not a date such as 2026-12-25`);
  const excluded: ReadonlySet<string> = new Set(dates);
  return {
    coverage(instant) {
      const { startMs, endMs, offsetMs } = timeZone.offsetAt(toUnixMs(instant));
      const localMs = instant.getTime() + offsetMs;
      if (!excluded.has(localDate(localMs))) return undefined;
      const dayMs = Math.floor(localMs / DAY_MS) * DAY_MS;
      return {
        from: new Date(Math.max(startMs, dayMs - offsetMs)),
        until: new Date(Math.min(endMs, dayMs + DAY_MS - offsetMs)),
      };
    },
  };
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The date of an instant in UTC; empty for an invalid instant. */
function localDate(instantMs: number): string {
  return Number.isNaN(instantMs) ? '' : new Date(instantMs).toISOString().slice(0, DATE_LENGTH);
}

const DATE_LENGTH = 'yyyy-mm-dd'.length;

/**
 * Excludes each whole minute at which the schedule fires: `* 2-3 * * 0` excludes Sundays from 02:00 to 04:00.
 * @param schedule Five fields or a macro. Throws a TypeError for `@every`, which has no minutes.
 */
export function excludeSchedule(schedule: Schedule): Exclusion {
  if (schedule.kind !== 'cron') throw new TypeError('an exclusion cannot use @every; use five fields');
  const { getMatchingMinutes } = schedule as CronSchedule; // the only schedule of that kind
  return {
    coverage(instant) {
      const minutes = getMatchingMinutes.call(schedule, instant);
      return minutes && { from: minutes.first, until: new Date(minutes.last.getTime() + MINUTE_MS) };
    },
  };
}
