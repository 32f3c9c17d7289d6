/**
 * The times of a schedule, computed from its text and the clock of its zone exactly as the semantics define: an instant is a slot when the
 * wall clock shows a time that all fields allow. Shares no code with the operator's parser, which the rules test.
 */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';

/** The methods that the rules need. */
export interface Slots {
  /** The first slot after `after`. */
  next(after: Date): Date | undefined;
  /** The last slot up to `notAfter`. */
  previous(notAfter: Date): Date | undefined;
  /** The slots in (after, until], oldest first, at most `limit`. */
  between(after: Date, until: Date, options: { readonly limit: number }): readonly Date[];
}

export type ScheduleReadResult =
  | { readonly kind: 'ok'; readonly slots: Slots }
  | { readonly kind: 'invalid'; readonly reason: 'UnparseableSchedule' | 'UnknownTimeZone' };

type DaylightSaving = NonNullable<CronJobSpec['daylightSaving']>;

export interface CalendarOptions {
  readonly zone: string;
  /** `@every` counts from here. */
  readonly anchor: Date;
  readonly daylightSaving?: DaylightSaving | undefined;
}

export function readSchedule(text: string, { zone, anchor, daylightSaving = {} }: CalendarOptions): ScheduleReadResult {
  const periodMs = parsePeriodMs(text);
  const fields = periodMs === undefined ? parseFields(text) : undefined;
  const offsetMs = findOffsetLookup(zone);
  // An invalid expression is reported before its zone.
  if (periodMs === undefined && fields === undefined) return { kind: 'invalid', reason: 'UnparseableSchedule' };
  if (offsetMs === undefined) return { kind: 'invalid', reason: 'UnknownTimeZone' };
  if (fields === undefined) return { kind: 'ok', slots: createIntervalSlots(anchor, periodMs ?? 0) };
  const { skippedTimes, repeatedTimes } = daylightSaving;
  const key = `${text} in ${zone} ${skippedTimes} ${repeatedTimes}`;
  return { kind: 'ok', slots: memoize(cronSlots, key, () => new CronSlots(fields, offsetMs, daylightSaving)) };
}

/** Whether the wall clock of the zone shows a minute that all fields of the expression allow. */
export function createMinuteMatcher(text: string, zone: string): (instant: Date) => boolean {
  const fields = parseFields(text);
  const offsetMs = findOffsetLookup(zone);
  if (fields === undefined || offsetMs === undefined) return () => false;
  const times = new Set(fields.times);
  return (instant) => {
    const localMs = instant.getTime() + offsetMs(instant.getTime());
    const timeMs = localMs % DAY_MS;
    return times.has(timeMs - (timeMs % MINUTE_MS)) && fields.isDay(new Date(localMs));
  };
}

/** Offsets of a zone; `undefined` when there is no such zone. */
export function findOffsetLookup(zone: string): OffsetLookup | undefined {
  return memoize(offsetLookups, zone, createOffsetLookup);
}

const cronSlots = new Map<string, CronSlots>();
const offsetLookups = new Map<string, OffsetLookup | undefined>();

/** The value of `key` in the cache; makes it the first time. */
export function memoize<K, V>(cache: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known as V; // the key exists, even when the value is undefined
  const value = make(key);
  cache.set(key, value);
  return value;
}

/** Offsets of the wall clocks of a zone from UTC at an instant, in milliseconds. */
type OffsetLookup = (instantMs: number) => number;

/** Offsets in Node's own zone data; `undefined` when there is no such zone. */
function createOffsetLookup(zone: string): OffsetLookup | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    const cache = new Map<number, number>();
    return (instantMs) => memoize(cache, instantMs, () => parseOffset(format.formatToParts(instantMs)));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parseOffset(parts: readonly Intl.DateTimeFormatPart[]): number {
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return Number(`${sign}1`) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS };

/** Period of an `@every` schedule, in whole hours, minutes and seconds. */
function parsePeriodMs(text: string): number | undefined {
  const parts = /^@every ((?:\d+[hms])+)$/.exec(text)?.[1]?.match(/\d+[hms]/g);
  return parts?.reduce((sum, part) => sum + Number.parseInt(part, 10) * (UNITS[part.at(-1) ?? ''] ?? 0), 0);
}

function createIntervalSlots(anchor: Date, periodMs: number): Slots {
  const startMs = Math.floor(anchor.getTime() / SECOND_MS) * SECOND_MS;
  const slot = (nth: number) => new Date(startMs + nth * periodMs);
  const last = (instant: Date) => Math.floor((instant.getTime() - startMs) / periodMs);
  return {
    next: (after) => slot(Math.max(1, last(after) + 1)),
    previous: (notAfter) => (last(notAfter) < 1 ? undefined : slot(last(notAfter))),
    between: (after, until, { limit }) => {
      const first = Math.max(1, last(after) + 1);
      const count = Math.max(0, Math.min(limit, last(until) - first + 1));
      return Array.from({ length: count }, (_, index) => slot(first + index));
    },
  };
}

interface CalendarFields {
  /** Times of day, in milliseconds. */
  readonly times: readonly number[];
  readonly isDay: (day: Date) => boolean;
  /** Whether the schedule fires in every hour of the day. */
  readonly hasEveryHour: boolean;
}

const MACROS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

function parseFields(text: string): CalendarFields | undefined {
  const words = (MACROS[text] ?? text).split(' ');
  const [minutes, hours, days, months, weekdays] = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 6],
  ].map(([least = 0, most = 0], index) => parseField(words[index] ?? '', least, most));
  if (words.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return undefined;
  // When both day fields are restricted, either is enough.
  const isEither = !words[2]?.startsWith('*') && !words[4]?.startsWith('*');
  const isDay = (day: Date) => {
    const [ofMonth, ofWeek] = [days.includes(day.getUTCDate()), weekdays.includes(day.getUTCDay())];
    return months.includes(day.getUTCMonth() + 1) && (isEither ? ofMonth || ofWeek : ofMonth && ofWeek);
  };
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS));
  return { times, isDay, hasEveryHour: hours.length === 24 };
}

/** `undefined` when the field is invalid. */
function parseField(field: string, min: number, max: number): readonly number[] | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [, from = '', to, step = '1'] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === '*' ? min : Number(from);
    const last = from === '*' ? max : Number(to ?? from);
    if (from === '' || first < min || last > max) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return [...values].sort((left, right) => left - right);
}

/** The range in which Kubernetes looks for a slot. */
const MAX_MONTHS = 61;
/** Number of slots of a minutely schedule in a year. */
const MAX_CACHED_SLOTS = 600_000;

class CronSlots implements Slots {
  readonly #fields: CalendarFields;
  readonly #offsetMs: OffsetLookup;
  /** Empty for a schedule that fires in every hour: it ignores these options. */
  readonly #daylightSaving: DaylightSaving;
  /** The slots of each month in milliseconds, by the number of the month since 1970 in UTC. */
  readonly #months = new Map<number, readonly number[]>();
  #cachedCount = 0;

  constructor(fields: CalendarFields, offsetMs: OffsetLookup, daylightSaving: DaylightSaving) {
    this.#fields = fields;
    this.#offsetMs = offsetMs;
    this.#daylightSaving = fields.hasEveryHour ? {} : daylightSaving;
  }

  next(after: Date): Date | undefined {
    return this.between(after, new Date(8.64e15), { limit: 1 })[0];
  }

  previous(notAfter: Date): Date | undefined {
    const month = toMonthNumber(notAfter);
    for (let back = 0; back < MAX_MONTHS; back++) {
      const slots = this.#getSlots(month - back);
      const count = back === 0 ? countUpTo(slots, notAfter.getTime()) : slots.length;
      const last = slots[count - 1];
      if (last !== undefined) return new Date(last);
    }
    return undefined;
  }

  between(after: Date, until: Date, { limit }: { readonly limit: number }): readonly Date[] {
    const result: Date[] = [];
    let month = toMonthNumber(after);
    const last = Math.min(toMonthNumber(until), month + MAX_MONTHS);
    for (; month <= last && result.length < limit; month++) {
      const slots = this.#getSlots(month);
      const from = countUpTo(slots, after.getTime());
      const to = Math.min(countUpTo(slots, until.getTime()), from + limit - result.length);
      for (let index = from; index < to; index++) result.push(new Date(slots[index] ?? 0));
    }
    return result;
  }

  #getSlots(month: number): readonly number[] {
    const cached = this.#months.get(month);
    if (cached !== undefined) return cached;
    const slots = this.#computeSlots(month);
    if (this.#cachedCount > MAX_CACHED_SLOTS) {
      this.#months.clear();
      this.#cachedCount = 0;
    }
    this.#months.set(month, slots);
    this.#cachedCount += slots.length;
    return slots;
  }

  #computeSlots(month: number): readonly number[] {
    const [startMs, endMs] = [monthStartMs(month), monthStartMs(month + 1)];
    const slots: number[] = [];
    for (let dayMs = startMs - DAY_MS; dayMs <= endMs; dayMs += DAY_MS) {
      if (this.#fields.isDay(new Date(dayMs))) slots.push(...this.#computeSlotsOfDay(dayMs));
    }
    const slotsOfMonth = slots.filter((slotMs) => slotMs >= startMs && slotMs < endMs);
    // A time that a change of the clock skips may move to the time of another slot.
    return [...new Set(slotsOfMonth)].sort((left, right) => left - right);
  }

  /**
   * The instants at which the clock shows one of the times. On most days the clock has one offset. Around a change it has two.
   * @param dayMs Midnight of the day that the clock shows, as if it showed UTC.
   */
  #computeSlotsOfDay(dayMs: number): readonly number[] {
    const [offsetMs = 0, ...others] = new Set([dayMs - DAY_MS, dayMs + 2 * DAY_MS].map(this.#offsetMs));
    const { times } = this.#fields;
    return others.length === 0
      ? times.map((time) => dayMs + time - offsetMs)
      : times.flatMap((time) => this.#findInstants(dayMs + time, [offsetMs, ...others]));
  }

  /** The instants at which the clock shows the time. When a change of the clock skips or repeats it, the options decide. */
  #findInstants(localMs: number, offsetsMs: readonly number[]): readonly number[] {
    const { skippedTimes, repeatedTimes } = this.#daylightSaving;
    const candidates = offsetsMs.map((offsetMs) => localMs - offsetMs).sort((left, right) => left - right);
    const instants = candidates.filter((instantMs) => instantMs + this.#offsetMs(instantMs) === localMs);
    if (instants.length > 0) return repeatedTimes === 'RunOnce' ? instants.slice(0, 1) : instants;
    return skippedTimes === 'RunAfter' ? [this.#findChange(candidates)] : [];
  }

  /** The first minute with the new offset, between an instant before the change and an instant after the change. */
  #findChange([beforeMs = 0, afterMs = 0]: readonly number[]): number {
    let [low, high] = [beforeMs, afterMs];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / MINUTE_MS / 2) * MINUTE_MS;
      if (this.#offsetMs(middle) === this.#offsetMs(afterMs)) high = middle;
      else low = middle;
    }
    return high;
  }
}

function toMonthNumber(instant: Date): number {
  return (instant.getUTCFullYear() - 1970) * 12 + instant.getUTCMonth();
}

function monthStartMs(month: number): number {
  return Date.UTC(1970, month, 1);
}

/** Number of values up to `ms`. */
function countUpTo(sorted: readonly number[], ms: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
