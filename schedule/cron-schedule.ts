/**
 * The instants of a cron expression in a time zone.
 *
 * One rule: an instant fires when its local time matches the fields. So a local time that does not exist never fires,
 * and a local time that occurs twice fires twice, unless {@link DaylightSaving} says otherwise. The search goes from one
 * span of constant offset to the next; within a span, local time is plain arithmetic, and the search uses the fields'
 * next day and next time of day.
 */
import { toCivilDate, toDayNumber } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';
import { describeFields } from './describe.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';
import { dstNotes } from './dst-notes.ts';
import { MatchingDays } from './matching-days.ts';
import { type BetweenOptions, instantsBetween, type Schedule, toUnixMs } from './schedule.ts';
import { type ConstantOffset, type TimeZone, UTC } from './time-zone.ts';
import { TimesOfDay } from './times-of-day.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;
/** A search stops after this many local years without a match, as in Kubernetes. */
const HORIZON_YEARS = 5;
/** Limits the work for one range of matching minutes. */
const MAX_RANGE_DAYS = 400;

/** A minute of local time, counted from 1970-01-01 00:00 on the wall clock. */
type LocalMinute = number;

/** What happens to the local times that a change of the clock skips or repeats. */
export interface DaylightSaving {
  /**
   * `Skip`, the default: a local time that does not exist does not fire. `RunAfter`: it fires at the first minute after
   * the gap, once for all skipped times.
   */
  readonly skippedTimes?: 'Skip' | 'RunAfter' | undefined;
  /** `RunTwice`, the default: a local time that occurs twice fires twice. `RunOnce`: it fires at its first occurrence. */
  readonly repeatedTimes?: 'RunTwice' | 'RunOnce' | undefined;
}

const HOURS_PER_DAY = 24;

export class CronSchedule implements Schedule {
  readonly kind = 'cron';
  readonly fields: CronFields;
  readonly #days: MatchingDays;
  readonly #times: TimesOfDay;
  readonly #zone: TimeZone;
  readonly #runsAfterGap: boolean;
  readonly #runsOnce: boolean;

  constructor(fields: CronFields, zone: TimeZone, { skippedTimes, repeatedTimes }: DaylightSaving = {}) {
    this.fields = fields;
    this.#days = new MatchingDays(fields);
    this.#times = new TimesOfDay(fields);
    this.#zone = zone;
    // A schedule for every hour goes by elapsed time.
    const hasHours = fields.hours.length < HOURS_PER_DAY;
    this.#runsAfterGap = hasHours && skippedTimes === 'RunAfter';
    this.#runsOnce = hasHours && repeatedTimes === 'RunOnce';
  }

  next(after: Date): Date | undefined {
    const afterMs = toUnixMs(after);
    let span = this.#zone.offsetAt(afterMs);
    const end = toDayNumber(localYear(afterMs + 1000, span) + HORIZON_YEARS + 1, 1, 1) * MINUTES_PER_DAY;
    let first = Math.floor((afterMs + span.offsetMs) / MINUTE_MS) + 1;
    while (first < end) {
      const found = this.#firstIn(span, first, Math.min(lastMinute(span), end - 1));
      if (found !== undefined) return toInstant(found, span);
      if (span.endMs === Number.POSITIVE_INFINITY) return undefined;
      span = this.#zone.offsetAt(span.endMs);
      first = firstMinute(span);
    }
    return undefined;
  }

  previous(notAfter: Date): Date | undefined {
    const notAfterMs = toUnixMs(notAfter);
    let span = this.#zone.offsetAt(notAfterMs);
    const begin = toDayNumber(localYear(notAfterMs, span) - HORIZON_YEARS, 1, 1) * MINUTES_PER_DAY;
    let last = Math.floor((notAfterMs + span.offsetMs) / MINUTE_MS);
    while (last >= begin) {
      const found = this.#lastIn(span, last, begin);
      if (found !== undefined) return toInstant(found, span);
      if (span.startMs === Number.NEGATIVE_INFINITY) return undefined;
      span = this.#zone.offsetAt(span.startMs - 1);
      last = lastMinute(span);
    }
    return undefined;
  }

  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[] {
    return instantsBetween(this, after, until, options);
  }

  describe(): string {
    return describeFields(this.fields);
  }

  dstNotes(from: Date, options?: DstNotesOptions): readonly DstNote[] {
    const utcSchedule = new CronSchedule(this.fields, UTC);
    return dstNotes({ fields: this.fields, zone: this.#zone, utcSchedule, from }, options).flatMap((note) => {
      if (note.kind === 'doubled') return this.#runsOnce ? [] : [note];
      return this.#runsAfterGap ? [{ ...note, kind: 'moved' as const }] : [note];
    });
  }

  /**
   * Returns the first and the last minute of the contiguous range of matching minutes around `instant`; `undefined` when
   * its minute does not match. The range ends at a clock change, and after 400 days.
   */
  getMatchingMinutes(instant: Date): { readonly first: Date; readonly last: Date } | undefined {
    const instantMs = toUnixMs(instant);
    const span = this.#zone.offsetAt(instantMs);
    const minute = Math.floor((instantMs + span.offsetMs) / MINUTE_MS);
    if (this.#firstMatch(minute, minute) === undefined) return undefined;
    const first = Math.max(firstMinute(span), this.#findRangeStart(minute));
    const last = Math.min(lastMinute(span), this.#findRangeEnd(minute));
    return { first: toInstant(first, span), last: toInstant(last, span) };
  }

  #findRangeEnd(minute: LocalMinute): LocalMinute {
    let day = Math.floor(minute / MINUTES_PER_DAY);
    let time = minute - day * MINUTES_PER_DAY;
    while (time + 1 < MINUTES_PER_DAY && this.#times.atOrAfter(time + 1) === time + 1) time++;
    if (time + 1 < MINUTES_PER_DAY || !this.#times.isWholeDay) return day * MINUTES_PER_DAY + time;
    for (let days = 0; days < MAX_RANGE_DAYS && this.#days.includes(day + 1); days++) day++;
    return (day + 1) * MINUTES_PER_DAY - 1;
  }

  #findRangeStart(minute: LocalMinute): LocalMinute {
    let day = Math.floor(minute / MINUTES_PER_DAY);
    let time = minute - day * MINUTES_PER_DAY;
    while (time > 0 && this.#times.atOrBefore(time - 1) === time - 1) time--;
    if (time > 0 || !this.#times.isWholeDay) return day * MINUTES_PER_DAY + time;
    for (let days = 0; days < MAX_RANGE_DAYS && this.#days.includes(day - 1); days++) day--;
    return day * MINUTES_PER_DAY;
  }

  #firstIn(span: ConstantOffset, first: LocalMinute, last: LocalMinute): LocalMinute | undefined {
    const start = firstMinute(span);
    if (this.#runsAfterGap && first <= start && start <= last && this.#hasMatchInGapBefore(span)) return start;
    const from = this.#runsOnce ? Math.max(first, this.#minuteAfterRepeated(span)) : first;
    return from <= last ? this.#firstMatch(from, last) : undefined;
  }

  #lastIn(span: ConstantOffset, last: LocalMinute, begin: LocalMinute): LocalMinute | undefined {
    const start = Math.max(firstMinute(span), begin);
    const from = this.#runsOnce ? Math.max(start, this.#minuteAfterRepeated(span)) : start;
    const found = from <= last ? this.#lastMatch(last, from) : undefined;
    if (found !== undefined || !this.#runsAfterGap || start > last || firstMinute(span) < begin) return found;
    return this.#hasMatchInGapBefore(span) ? start : undefined;
  }

  /** Whether a skipped local time before `span` matches. */
  #hasMatchInGapBefore(span: ConstantOffset): boolean {
    const skippedFrom = this.#minuteAfterPrevious(span);
    const start = firstMinute(span);
    return skippedFrom < start && this.#firstMatch(skippedFrom, start - 1) !== undefined;
  }

  /** The first minute of `span` that has not occurred before it. */
  #minuteAfterRepeated(span: ConstantOffset): LocalMinute {
    return Math.max(firstMinute(span), this.#minuteAfterPrevious(span));
  }

  /** The local minute after the last one of the span before. */
  #minuteAfterPrevious({ startMs }: ConstantOffset): LocalMinute {
    if (startMs === Number.NEGATIVE_INFINITY) return Number.NEGATIVE_INFINITY;
    return lastMinute(this.#zone.offsetAt(startMs - 1)) + 1;
  }

  #firstMatch(first: LocalMinute, last: LocalMinute): LocalMinute | undefined {
    const day = Math.floor(first / MINUTES_PER_DAY);
    const time = this.#days.includes(day) ? this.#times.atOrAfter(first - day * MINUTES_PER_DAY) : -1;
    if (time >= 0) return atMost(day * MINUTES_PER_DAY + time, last);
    const later = this.#days.atOrAfter(day + 1, Math.floor(last / MINUTES_PER_DAY));
    return later === undefined ? undefined : atMost(later * MINUTES_PER_DAY + this.#times.first, last);
  }

  #lastMatch(last: LocalMinute, first: LocalMinute): LocalMinute | undefined {
    const day = Math.floor(last / MINUTES_PER_DAY);
    const time = this.#days.includes(day) ? this.#times.atOrBefore(last - day * MINUTES_PER_DAY) : -1;
    if (time >= 0) return atLeast(day * MINUTES_PER_DAY + time, first);
    const earlier = this.#days.atOrBefore(day - 1, Math.floor(first / MINUTES_PER_DAY));
    return earlier === undefined ? undefined : atLeast(earlier * MINUTES_PER_DAY + this.#times.last, first);
  }
}

/** The first full minute of local time in `span`. */
function firstMinute({ startMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((startMs + offsetMs) / MINUTE_MS);
}

/** The last full minute that the wall clock shows in `span`. */
function lastMinute({ endMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((endMs + offsetMs) / MINUTE_MS) - 1;
}

function toInstant(minute: LocalMinute, { offsetMs }: ConstantOffset): Date {
  return new Date(minute * MINUTE_MS - offsetMs);
}

function localYear(instantMs: number, { offsetMs }: ConstantOffset): number {
  return toCivilDate(Math.floor((instantMs + offsetMs) / MINUTE_MS / MINUTES_PER_DAY)).year;
}

function atMost(minute: LocalMinute, last: LocalMinute): LocalMinute | undefined {
  return minute <= last ? minute : undefined;
}

function atLeast(minute: LocalMinute, first: LocalMinute): LocalMinute | undefined {
  return minute >= first ? minute : undefined;
}
