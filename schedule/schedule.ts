import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';

/**
 * A parsed schedule. A schedule is an immutable sequence of instants, and each instant is a whole second.
 *
 * Every method throws a RangeError for an invalid Date.
 */
export interface Schedule {
  /** The kind `cron` is five fields or a macro such as `@daily`. The kind `every` is `@every <duration>`. */
  readonly kind: 'cron' | 'every';

  /** The values of the five cron fields. Absent for `@every`. */
  readonly fields?: CronFields;

  /**
   * Returns the first instant later than `after`, or `undefined` if the schedule has no instant within five years. Five
   * years is also the limit in Kubernetes.
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
   * Describes the schedule in English, without the time zone. Example: `At 06:30 on day 1 of the month or on Monday
   * (either is enough)`.
   */
  describe(): string;

  /**
   * Returns the clock changes after `from` that skip or double runs, in ascending order.
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
  toUnixMs(until);
  const instants: Date[] = [];
  let instant = schedule.next(after);
  while (instant !== undefined && instant <= until && instants.length < limit) {
    instants.push(instant);
    instant = schedule.next(instant);
  }
  return instants;
}

/** Throws a RangeError for an invalid Date. */
export function toUnixMs(instant: Date): number {
  const ms = instant.getTime();
  if (Number.isNaN(ms)) throw new RangeError('invalid Date');
  return ms;
}
