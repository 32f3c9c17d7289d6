/**
 * Computes the instants of a cron expression in a time zone.
 *
 * A schedule fires at each instant whose local time matches the cron fields. By default, the schedule does not fire at
 * a local time that a clock change skips, and fires twice at a local time that a clock change repeats. The options
 * {@link DaylightSaving} can change both rules. A search visits the spans of time with a constant UTC offset in order.
 */
import { toCivilDate, toEpochDay } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';
import { describeFields } from './describe.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';
import { findDstNotes } from './dst-notes.ts';
import { MatchingDays } from './matching-days.ts';
import {
  type BetweenOptions,
  firstInstants,
  instantsBetween,
  iterateInstants,
  type Schedule,
  toUnixMs,
} from './schedule.ts';
import { type ConstantOffset, type TimeZone, UTC } from './time-zone.ts';
import { TimesOfDay } from './times-of-day.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;
/** The number of local years without a match after which a search stops, as in Kubernetes. */
const HORIZON_YEARS = 5;
/** The offset of every time zone is smaller than 24 hours. */
const MAX_OFFSET_MS = 24 * 3_600_000;
/** Maximum length of a range of matching minutes, to limit the time of the search. */
const MAX_RANGE_DAYS = 400;

/** A minute of local time, as the number of minutes since 1970-01-01 00:00 local time. */
type LocalMinute = number;

/** How a schedule treats the local times that a clock change skips or repeats. */
export interface DaylightSaving {
  /**
   * With `Skip`, the default, the schedule does not fire for a skipped local time. With `RunAfter`, the schedule fires
   * once at the first minute after the skipped local times.
   */
  readonly skippedTimes?: 'Skip' | 'RunAfter' | undefined;
  /**
   * With `RunTwice`, the default, the schedule fires at both occurrences of a repeated local time. With `RunOnce`, the
   * schedule fires only at the first occurrence.
   */
  readonly repeatedTimes?: 'RunTwice' | 'RunOnce' | undefined;
}

const HOURS_PER_DAY = 24;

export class CronSchedule implements Schedule {
  readonly kind = 'cron';
  readonly fields: CronFields;
  readonly #days: MatchingDays;
  readonly #times: TimesOfDay;
  readonly #zone: TimeZone;
  readonly #shouldRunAfterGap: boolean;
  readonly #shouldRunOnce: boolean;

  constructor(fields: CronFields, zone: TimeZone, { skippedTimes, repeatedTimes }: DaylightSaving = {}) {
    this.fields = fields;
    this.#days = new MatchingDays(fields);
    this.#times = new TimesOfDay(fields);
    this.#zone = zone;
    // A schedule for every hour ignores the options of DaylightSaving and fires at equal intervals.
    const isHourRestricted = fields.hours.length < HOURS_PER_DAY;
    this.#shouldRunAfterGap = isHourRestricted && skippedTimes === 'RunAfter';
    this.#shouldRunOnce = isHourRestricted && repeatedTimes === 'RunOnce';
  }

  next(after: Date): Date | undefined {
    const afterMs = toUnixMs(after);
    let span = this.#zone.offsetAt(afterMs);
    const endMinute = toEpochDay(toLocalYear(afterMs + 1000, span) + HORIZON_YEARS + 1, 1, 1) * MINUTES_PER_DAY;
    let firstMinute = toLocalMinute(afterMs, span) + 1;
    while (firstMinute < endMinute) {
      const match = this.#findFirst(span, firstMinute, Math.min(getLastMinute(span), endMinute - 1));
      if (match !== undefined) return toInstant(match, span);
      if (span.endMs === Number.POSITIVE_INFINITY) return undefined;
      const resumeMs = this.#skipSpans(span, firstMinute, endMinute);
      span = this.#zone.offsetAt(resumeMs);
      firstMinute = Math.max(getFirstMinute(span), toLocalMinute(resumeMs, span));
    }
    return undefined;
  }

  previous(notAfter: Date): Date | undefined {
    const notAfterMs = toUnixMs(notAfter);
    let span = this.#zone.offsetAt(notAfterMs);
    const horizonMinute = toEpochDay(toLocalYear(notAfterMs, span) - HORIZON_YEARS, 1, 1) * MINUTES_PER_DAY;
    let lastMinute = toLocalMinute(notAfterMs, span);
    while (lastMinute >= horizonMinute) {
      const match = this.#findLast(span, lastMinute, horizonMinute);
      if (match !== undefined) return toInstant(match, span);
      if (span.startMs === Number.NEGATIVE_INFINITY) return undefined;
      const resumeMs = this.#skipEarlierSpans(span, lastMinute, horizonMinute);
      span = this.#zone.offsetAt(resumeMs);
      lastMinute = Math.min(getLastMinute(span), toLocalMinute(resumeMs, span));
    }
    return undefined;
  }

  between(after: Date, until: Date, options?: BetweenOptions): readonly Date[] {
    return instantsBetween(this, after, until, options);
  }

  take(count: number, after: Date): readonly Date[] {
    return firstInstants(this, count, after);
  }

  timesAfter(after: Date): Generator<Date, void> {
    return iterateInstants(this, after);
  }

  describe(): string {
    return describeFields(this.fields);
  }

  dstNotes(from: Date, options?: DstNotesOptions): readonly DstNote[] {
    const utcSchedule = new CronSchedule(this.fields, UTC);
    return findDstNotes({ fields: this.fields, zone: this.#zone, utcSchedule, from }, options).flatMap((note) => {
      if (note.kind === 'doubled') return this.#shouldRunOnce ? [] : [note];
      return this.#shouldRunAfterGap ? [{ ...note, kind: 'moved' as const }] : [note];
    });
  }

  /**
   * Returns the first and the last minute of the contiguous range of matching minutes around `instant`, or `undefined` if the
   * minute of `instant` does not match. The range ends at a clock change or after 400 days.
   */
  getMatchingMinutes(instant: Date): { readonly first: Date; readonly last: Date } | undefined {
    const instantMs = toUnixMs(instant);
    const span = this.#zone.offsetAt(instantMs);
    const minute = toLocalMinute(instantMs, span);
    if (this.#findFirstMatch(minute, minute) === undefined) return undefined;
    const [spanStart, spanEnd] = [getFirstMinute(span), getLastMinute(span)];
    const first = Math.max(spanStart, this.#findRangeStart(minute, spanStart));
    const last = Math.min(spanEnd, this.#findRangeEnd(minute, spanEnd));
    return { first: toInstant(first, span), last: toInstant(last, span) };
  }

  #findRangeEnd(minute: LocalMinute, spanEnd: LocalMinute): LocalMinute {
    let day = Math.floor(minute / MINUTES_PER_DAY);
    let minuteOfDay = minute - day * MINUTES_PER_DAY;
    while (minuteOfDay + 1 < MINUTES_PER_DAY && this.#times.atOrAfter(minuteOfDay + 1) === minuteOfDay + 1)
      minuteOfDay++;
    if (minuteOfDay + 1 < MINUTES_PER_DAY || !this.#times.isWholeDay) return day * MINUTES_PER_DAY + minuteOfDay;
    const lastDay = Math.min(day + MAX_RANGE_DAYS, Math.floor(spanEnd / MINUTES_PER_DAY));
    while (day < lastDay && this.#days.includes(day + 1)) day++;
    return (day + 1) * MINUTES_PER_DAY - 1;
  }

  #findRangeStart(minute: LocalMinute, spanStart: LocalMinute): LocalMinute {
    let day = Math.floor(minute / MINUTES_PER_DAY);
    let minuteOfDay = minute - day * MINUTES_PER_DAY;
    while (minuteOfDay > 0 && this.#times.atOrBefore(minuteOfDay - 1) === minuteOfDay - 1) minuteOfDay--;
    if (minuteOfDay > 0 || !this.#times.isWholeDay) return day * MINUTES_PER_DAY + minuteOfDay;
    const firstDay = Math.max(day - MAX_RANGE_DAYS, Math.floor(spanStart / MINUTES_PER_DAY));
    while (day > firstDay && this.#days.includes(day - 1)) day--;
    return day * MINUTES_PER_DAY;
  }

  /**
   * Returns the instant at which to resume a search that found no match in `span` from `first` on. The search skips the
   * spans in which every local time is before the next match, because the first use of a span is slow.
   */
  #skipSpans({ endMs }: ConstantOffset, first: LocalMinute, endMinute: LocalMinute): number {
    // Local times before `first` can occur again.
    if (endMs - MAX_OFFSET_MS < first * MINUTE_MS) return endMs;
    const nextMatch = this.#findFirstMatch(first, endMinute - 1) ?? endMinute;
    return Math.max(endMs, nextMatch * MINUTE_MS - MAX_OFFSET_MS);
  }

  /** Like {@link #skipSpans}, for a search from `last` into the past. */
  #skipEarlierSpans({ startMs }: ConstantOffset, last: LocalMinute, horizonMinute: LocalMinute): number {
    if (startMs + MAX_OFFSET_MS > last * MINUTE_MS) return startMs - 1;
    const previousMatch = this.#findLastMatch(last, horizonMinute) ?? horizonMinute - 1;
    return Math.min(startMs - 1, previousMatch * MINUTE_MS + MAX_OFFSET_MS);
  }

  #findFirst(span: ConstantOffset, first: LocalMinute, last: LocalMinute): LocalMinute | undefined {
    const start = getFirstMinute(span);
    if (this.#shouldRunAfterGap && first <= start && start <= last && this.#hasMatchInGapBefore(span)) return start;
    const from = this.#shouldRunOnce ? Math.max(first, this.#findFirstUnrepeated(span)) : first;
    return from <= last ? this.#findFirstMatch(from, last) : undefined;
  }

  #findLast(span: ConstantOffset, last: LocalMinute, horizonMinute: LocalMinute): LocalMinute | undefined {
    const start = Math.max(getFirstMinute(span), horizonMinute);
    const from = this.#shouldRunOnce ? Math.max(start, this.#findFirstUnrepeated(span)) : start;
    const match = from <= last ? this.#findLastMatch(last, from) : undefined;
    if (match !== undefined || !this.#shouldRunAfterGap || start > last || getFirstMinute(span) < horizonMinute)
      return match;
    return this.#hasMatchInGapBefore(span) ? start : undefined;
  }

  #hasMatchInGapBefore(span: ConstantOffset): boolean {
    const gapStart = this.#findEndOfPreviousSpan(span);
    const start = getFirstMinute(span);
    return gapStart < start && this.#findFirstMatch(gapStart, start - 1) !== undefined;
  }

  /** Returns the first minute of `span` that is not a repeated local time. */
  #findFirstUnrepeated(span: ConstantOffset): LocalMinute {
    return Math.max(getFirstMinute(span), this.#findEndOfPreviousSpan(span));
  }

  #findEndOfPreviousSpan({ startMs }: ConstantOffset): LocalMinute {
    if (startMs === Number.NEGATIVE_INFINITY) return Number.NEGATIVE_INFINITY;
    return getLastMinute(this.#zone.offsetAt(startMs - 1)) + 1;
  }

  #findFirstMatch(first: LocalMinute, last: LocalMinute): LocalMinute | undefined {
    const day = Math.floor(first / MINUTES_PER_DAY);
    const minuteOfDay = this.#days.includes(day) ? this.#times.atOrAfter(first - day * MINUTES_PER_DAY) : -1;
    if (minuteOfDay >= 0) return keepUpTo(day * MINUTES_PER_DAY + minuteOfDay, last);
    const laterDay = this.#days.atOrAfter(day + 1, Math.floor(last / MINUTES_PER_DAY));
    return laterDay === undefined ? undefined : keepUpTo(laterDay * MINUTES_PER_DAY + this.#times.first, last);
  }

  #findLastMatch(last: LocalMinute, first: LocalMinute): LocalMinute | undefined {
    const day = Math.floor(last / MINUTES_PER_DAY);
    const minuteOfDay = this.#days.includes(day) ? this.#times.atOrBefore(last - day * MINUTES_PER_DAY) : -1;
    if (minuteOfDay >= 0) return keepFrom(day * MINUTES_PER_DAY + minuteOfDay, first);
    const earlierDay = this.#days.atOrBefore(day - 1, Math.floor(first / MINUTES_PER_DAY));
    return earlierDay === undefined ? undefined : keepFrom(earlierDay * MINUTES_PER_DAY + this.#times.last, first);
  }
}

function getFirstMinute({ startMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((startMs + offsetMs) / MINUTE_MS);
}

function getLastMinute({ endMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((endMs + offsetMs) / MINUTE_MS) - 1;
}

function toInstant(minute: LocalMinute, { offsetMs }: ConstantOffset): Date {
  return new Date(minute * MINUTE_MS - offsetMs);
}

function toLocalMinute(instantMs: number, { offsetMs }: ConstantOffset): LocalMinute {
  return Math.floor((instantMs + offsetMs) / MINUTE_MS);
}

function toLocalYear(instantMs: number, span: ConstantOffset): number {
  return toCivilDate(Math.floor(toLocalMinute(instantMs, span) / MINUTES_PER_DAY)).year;
}

function keepUpTo(minute: LocalMinute, last: LocalMinute): LocalMinute | undefined {
  return minute <= last ? minute : undefined;
}

function keepFrom(minute: LocalMinute, first: LocalMinute): LocalMinute | undefined {
  return minute >= first ? minute : undefined;
}
