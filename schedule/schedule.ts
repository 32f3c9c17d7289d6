import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';

/**
 * A parsed schedule: the instants at which it fires. Each is a whole second. Immutable, and safe to keep and to share.
 *
 * Every method throws a RangeError when it is given an invalid Date, and nothing else.
 */
export interface Schedule {
  /** `cron`: five fields or a macro such as `@daily`. `every`: `@every <duration>`, which counts from its anchor. */
  readonly kind: 'cron' | 'every';

  /** The values of the five fields. Absent with `@every`. */
  readonly fields?: CronFields;

  /** The first instant strictly after `after`; `undefined` when none comes within five years, as in Kubernetes. */
  next(after: Date): Date | undefined;

  /**
   * The last instant at or before `notAfter`; `undefined` when there was none within five years, or, with `@every`, since the
   * anchor.
   */
  previous(notAfter: Date): Date | undefined;

  /** The instants in (after, until], oldest first. Adjoining spans share none and miss none. */
  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[];

  /**
   * What the schedule means, in English, without the time zone: `At 06:30 on day 1 of the month or on Monday (either is
   * enough)`. Made from the parsed values, so two spellings of one schedule read the same.
   */
  describe(): string;

  /**
   * The changes of the zone's clock after `from` that skip runs or make them run twice, oldest first.
   *
   * Empty for `@every`, and for what keeps its rhythm across the change, such as an hourly run where the clock moves by an hour.
   */
  dstNotes(from: Date, options?: DstNotesOptions): readonly DstNote[];
}

/** Options of {@link Schedule.between}. */
export interface BetweenOptions {
  /**
   * At most so many instants, the oldest ones. Default: no limit. Set one when the span or the schedule comes from somebody
   * else: a minutely schedule has half a million instants a year.
   */
  readonly limit?: number;
}

/** {@link Schedule.between} by {@link Schedule.next}. */
export function instantsBetween(
  schedule: Pick<Schedule, 'next'>,
  after: Date,
  until: Date,
  { limit = Number.POSITIVE_INFINITY }: BetweenOptions = {},
): readonly Date[] {
  requireValid(until);
  const instants: Date[] = [];
  let instant = schedule.next(after);
  while (instant !== undefined && instant <= until && instants.length < limit) {
    instants.push(instant);
    instant = schedule.next(instant);
  }
  return instants;
}

/** Unix milliseconds of `instant`. Throws RangeError for an invalid Date. */
export function requireValid(instant: Date): number {
  const ms = instant.getTime();
  if (Number.isNaN(ms)) throw new RangeError('invalid Date');
  return ms;
}
