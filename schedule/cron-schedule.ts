/**
 * The instants of a cron expression in a time zone.
 *
 * One rule: an instant fires when its local time matches the fields. So a local time that does not exist never fires,
 * and a local time that occurs twice fires twice. The search goes from one span of constant offset to the next; within
 * a span, local time is plain arithmetic, and the search uses the fields' next day and next time of day.
 */
import { civilDateOf, dayNumberOf } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';
import { describeFields } from './describe.ts';
import type { DstNote, DstNotesOptions } from './dst-note.ts';
import { dstNotes } from './dst-notes.ts';
import { MatchingDays } from './matching-days.ts';
import { type BetweenOptions, instantsBetween, requireValid, type Schedule } from './schedule.ts';
import { type ConstantOffset, type TimeZone, UTC } from './time-zone.ts';
import { TimesOfDay } from './times-of-day.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;
/** A search stops after this many local years without a match, as in Kubernetes. */
const HORIZON_YEARS = 5;

/** A minute of local time, counted from 1970-01-01 00:00 on the wall clock. */
type LocalMinute = number;

export class CronSchedule implements Schedule {
  readonly kind = 'cron';
  readonly fields: CronFields;
  readonly #days: MatchingDays;
  readonly #times: TimesOfDay;
  readonly #zone: TimeZone;

  constructor(fields: CronFields, zone: TimeZone) {
    this.fields = fields;
    this.#days = new MatchingDays(fields);
    this.#times = new TimesOfDay(fields);
    this.#zone = zone;
  }

  next(after: Date): Date | undefined {
    const afterMs = requireValid(after);
    let stretch = this.#zone.offsetAt(afterMs);
    const end = dayNumberOf(localYear(afterMs + 1000, stretch) + HORIZON_YEARS + 1, 1, 1) * MINUTES_PER_DAY;
    let first = Math.floor((afterMs + stretch.offsetMs) / MINUTE_MS) + 1;
    while (first < end) {
      const found = this.#firstMatch(first, Math.min(lastMinute(stretch), end - 1));
      if (found !== undefined) return instantOf(found, stretch);
      if (stretch.endMs === Number.POSITIVE_INFINITY) return undefined;
      stretch = this.#zone.offsetAt(stretch.endMs);
      first = firstMinute(stretch);
    }
    return undefined;
  }

  previous(notAfter: Date): Date | undefined {
    const notAfterMs = requireValid(notAfter);
    let stretch = this.#zone.offsetAt(notAfterMs);
    const begin = dayNumberOf(localYear(notAfterMs, stretch) - HORIZON_YEARS, 1, 1) * MINUTES_PER_DAY;
    let last = Math.floor((notAfterMs + stretch.offsetMs) / MINUTE_MS);
    while (last >= begin) {
      const found = this.#lastMatch(last, Math.max(firstMinute(stretch), begin));
      if (found !== undefined) return instantOf(found, stretch);
      if (stretch.startMs === Number.NEGATIVE_INFINITY) return undefined;
      stretch = this.#zone.offsetAt(stretch.startMs - 1);
      last = lastMinute(stretch);
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
    const undisturbed = new CronSchedule(this.fields, UTC);
    return dstNotes({ fields: this.fields, zone: this.#zone, undisturbed, from }, options);
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

/** The first full minute of local time in `stretch`. */
function firstMinute({ startMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((startMs + offsetMs) / MINUTE_MS);
}

/** The last full minute that the wall clock shows in `stretch`. */
function lastMinute({ endMs, offsetMs }: ConstantOffset): LocalMinute {
  return Math.ceil((endMs + offsetMs) / MINUTE_MS) - 1;
}

function instantOf(minute: LocalMinute, { offsetMs }: ConstantOffset): Date {
  return new Date(minute * MINUTE_MS - offsetMs);
}

function localYear(instantMs: number, { offsetMs }: ConstantOffset): number {
  return civilDateOf(Math.floor((instantMs + offsetMs) / MINUTE_MS / MINUTES_PER_DAY)).year;
}

function atMost(minute: LocalMinute, last: LocalMinute): LocalMinute | undefined {
  return minute <= last ? minute : undefined;
}

function atLeast(minute: LocalMinute, first: LocalMinute): LocalMinute | undefined {
  return minute >= first ? minute : undefined;
}
