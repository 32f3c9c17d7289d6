import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';

/**
 * A parsed schedule: a sequence of instants. Each is a whole second. Immutable, and safe to keep and to share.
 *
 * Every method throws a RangeError for an invalid Date, and no other error.
 */
export interface Schedule {
  /** `cron`: five fields or a macro such as `@daily`. `every`: `@every <duration>`, counted from its anchor. */
  readonly kind: 'cron' | 'every';

  /** The values of the five fields. Absent for `@every`. */
  readonly fields?: CronFields;

  /**
   * The first instant later than `after`; `undefined` if the schedule has none within the next five years, as in Kubernetes.
   */
  next(after: Date): Date | undefined;

  /**
   * The last instant at or before `notAfter`; `undefined` when the five years before it have no instant or, for `@every`,
   * there is no instant since the anchor.
   */
  previous(notAfter: Date): Date | undefined;

  /** The instants in (after, until], oldest first. Adjoining spans neither share nor miss instants. */
  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[];

  /**
   * Describes the schedule in English, without the time zone: `At 06:30 on day 1 of the month or on Monday (either is
   * enough)`. It uses the parsed values, so two spellings of one schedule read the same.
   */
  describe(): string;

  /**
   * The changes of the zone's clock after `from` that skip or double runs, oldest first.
   *
   * Empty for `@every`, and for schedules that keep their rhythm across the change, such as an hourly run if the clock
   * moves by an hour.
   */
  dstNotes(from: Date, options?: DstNotesOptions): readonly DstNote[];
}

/** Options of {@link Schedule.between}. */
export interface BetweenOptions {
  /**
   * Maximum number of instants to return, oldest first. Default: no limit. Set a limit for an untrusted span or
   * schedule: a schedule that fires every minute has half a million instants a year.
   */
  readonly limit?: number;
}

/** Implements {@link Schedule.between} with {@link Schedule.next}. */
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

/** Unix milliseconds of `instant`. Throws RangeError for an invalid Date. */
export function toUnixMs(instant: Date): number {
  const ms = instant.getTime();
  if (Number.isNaN(ms)) throw new RangeError('invalid Date');
  return ms;
}
