import type { CronFields } from './cron-fields.ts';
import { describeValue } from './describe-value.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';
import { quote } from './quote.ts';

/**
 * A parsed schedule. A schedule is an immutable sequence of instants, and each instant is a whole second.
 *
 * Every method throws a RangeError for an invalid Date, and a TypeError for a time that is not a Date.
 */
export interface Schedule {
  /**
   * A schedule from five fields or from a macro such as `@daily` has the kind `cron`. A schedule from `@every
   * <duration>` has the kind `every`.
   */
  readonly kind: 'cron' | 'every';

  /** The values of the five cron fields. Absent for `@every`. */
  readonly fields?: CronFields;

  /**
   * Returns the first instant later than `after`, or `undefined` if the schedule has no instant within five years.
   * Kubernetes also searches for five years.
   */
  next(after: Date): Date | undefined;

  /**
   * Returns the last instant at or before `notAfter`, or `undefined` if the five years before `notAfter` contain no
   * instant. For `@every`, returns `undefined` if `notAfter` is earlier than one period after the anchor.
   */
  previous(notAfter: Date): Date | undefined;

  /** Returns the instants after `after` up to and including `until`, in ascending order. */
  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[];

  /**
   * Returns the first `count` instants after `after`, in ascending order. Returns fewer instants if the schedule has no
   * further instant within five years.
   * @param count A non-negative integer. `take` throws a RangeError for any other value.
   */
  take(count: number, after: Date): readonly Date[];

  /**
   * Iterates over the instants after `after`, in ascending order. The iteration ends only if the schedule has no further
   * instant within five years, so leave the loop with `break`.
   */
  timesAfter(after: Date): Generator<Date, void>;

  /**
   * Describes the schedule in English, without the time zone. Example: `At 06:30 on day 1 of the month or on Monday
   * (either is enough)`. The description of days that no month has, such as 31 February, begins with `Never`.
   */
  describe(): string;

  /**
   * Returns the clock changes after `from` that skip or repeat runs, in ascending order.
   *
   * The result omits clock changes that do not affect the intervals between runs, such as a change by an hour for an
   * hourly schedule. The result for `@every` is empty.
   */
  dstNotes(from: Date, options?: DstNotesOptions): readonly DstNote[];
}

/** Options of {@link Schedule.between}. */
export interface BetweenOptions {
  /**
   * The maximum number of instants to return. Default: no limit. Set a limit for an untrusted span or schedule, because
   * a schedule for every minute has half a million instants a year.
   */
  readonly limit?: number;
}

export function instantsBetween(
  schedule: Pick<Schedule, 'next'>,
  after: Date,
  until: Date,
  { limit = Number.POSITIVE_INFINITY }: BetweenOptions = {},
): readonly Date[] {
  toUnixMs(after);
  toUnixMs(until);
  const instants: Date[] = [];
  while (instants.length < limit) {
    const instant = schedule.next(instants.at(-1) ?? after);
    if (instant === undefined || instant > until) break;
    instants.push(instant);
  }
  return instants;
}

/** The last instant of a Date, in the year 275760. */
const LAST_INSTANT = new Date(8.64e15);

export function firstInstants(schedule: Pick<Schedule, 'next'>, count: number, after: Date): readonly Date[] {
  if (!Number.isInteger(count) || count < 0)
    throw new RangeError(`the count must be a whole number from 0, not ${describeValue(count)}`);
  return instantsBetween(schedule, after, LAST_INSTANT, { limit: count });
}

export function iterateInstants(schedule: Pick<Schedule, 'next'>, after: Date): Generator<Date, void> {
  toUnixMs(after); // a generator would check `after` only when the loop starts
  return generateInstants(schedule, after);
}

function* generateInstants(schedule: Pick<Schedule, 'next'>, after: Date): Generator<Date, void> {
  for (let instant = schedule.next(after); instant !== undefined; instant = schedule.next(instant)) yield instant;
}

/** Throws a RangeError for an invalid Date, and a TypeError for a value that is not a Date. */
export function toUnixMs(instant: Date): number {
  // `instanceof` would reject a Date from another window or worker.
  if (typeof instant?.getTime !== 'function') throw new TypeError(explainWrongTime(instant));
  const ms = instant.getTime();
  if (Number.isNaN(ms)) throw new RangeError('invalid Date');
  return ms;
}

function explainWrongTime(value: unknown): string {
  const fix =
    typeof value === 'string' || typeof value === 'number'
      ? `; use new Date(${typeof value === 'string' ? quote(value) : value})`
      : '';
  return `a time must be a Date, not ${describeValue(value)}${fix}`;
}
