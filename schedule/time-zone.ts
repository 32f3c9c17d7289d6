/** The offsets of local time from UTC, and their changes. */
import QuickLRU from 'quick-lru';
import { toDayNumber } from './calendar.ts';
import { TIME_ZONE_NAMES } from './time-zone-names.ts';

/**
 * A time zone: its offsets from UTC. {@link loadTimeZone} returns zones of Intl; for other zone data, implement this
 * interface.
 */
export interface TimeZone {
  /** Name of the zone, usually an IANA name. */
  readonly name: string;
  /**
   * The span of constant offset that contains `instantMs`. Spans adjoin and cover all time; neighbours may have the
   * same offset.
   * @param instantMs Unix milliseconds.
   */
  offsetAt(instantMs: number): ConstantOffset;
}

/** A span with a constant offset: [startMs, endMs) in Unix milliseconds. */
export interface ConstantOffset {
  readonly startMs: number;
  readonly endMs: number;
  /** Local time minus UTC, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Returns the zone of an IANA name in its exact spelling, with the zone data of Intl, or `undefined` when it does not
 * exist.
 *
 * The zone reads its offsets year by year, on first use, and caches some years. So load a zone once and share it among
 * all its schedules.
 */
export function loadTimeZone(name: string): TimeZone | undefined {
  if (name === UTC.name) return UTC;
  if (!KNOWN_NAMES.has(name)) return undefined;
  try {
    return new IntlTimeZone(name);
  } catch {
    return undefined; // Intl has its own zone data, without Factory
  }
}

const NO_OFFSET: ConstantOffset = {
  startMs: Number.NEGATIVE_INFINITY,
  endMs: Number.POSITIVE_INFINITY,
  offsetMs: 0,
};

export const UTC: TimeZone = { name: 'UTC', offsetAt: () => NO_OFFSET };

const KNOWN_NAMES: ReadonlySet<string> = new Set(TIME_ZONE_NAMES);

/** Cached years per zone: a catch-up and a search for the next instant need a few. Up to twice as many are held. */
const MAX_YEARS = 16;

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;

/** Reads a year at a time from Intl, at the first lookup in that year, because each Intl call takes microseconds. */
class IntlTimeZone implements TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new QuickLRU<number, readonly ConstantOffset[]>({ maxSize: MAX_YEARS });

  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  offsetAt(instantMs: number): ConstantOffset {
    const year = new Date(instantMs).getUTCFullYear();
    const spans = this.#getSpans(year);
    let low = 0;
    let high = spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((spans[middle]?.startMs ?? 0) <= instantMs) low = middle;
      else high = middle - 1;
    }
    const found = spans[low];
    if (!found) throw new RangeError(`no offset at ${instantMs} ms`);
    return found;
  }

  #getSpans(year: number): readonly ConstantOffset[] {
    let spans = this.#years.get(year);
    if (!spans) {
      spans = this.#read(startOfYear(year), startOfYear(year + 1));
      this.#years.set(year, spans);
    }
    return spans;
  }

  /** Checks once a day; if two days differ, searches the second in which the offset changed. */
  #read(fromMs: number, untilMs: number): readonly ConstantOffset[] {
    const spans: ConstantOffset[] = [];
    let startMs = fromMs;
    let offsetMs = this.#readOffset(fromMs);
    for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY_MS) {
      const nextMs = this.#readOffset(dayMs + DAY_MS);
      if (nextMs === offsetMs) continue;
      const changeMs = this.#findChange(dayMs, dayMs + DAY_MS, offsetMs);
      if (changeMs < untilMs) {
        spans.push({ startMs, endMs: changeMs, offsetMs });
        startMs = changeMs;
      }
      offsetMs = nextMs;
    }
    spans.push({ startMs, endMs: untilMs, offsetMs: this.#readOffset(untilMs - SECOND_MS) });
    return spans;
  }

  #findChange(lowMs: number, highMs: number, offsetMs: number): number {
    let [low, high] = [lowMs, highMs];
    while (high - low > SECOND_MS) {
      const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
      if (this.#readOffset(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #readOffset(instantMs: number): number {
    const text = this.#format.format(instantMs);
    const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(text) ?? [];
    if (sign === undefined) return 0; // "GMT" alone
    const magnitudeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS;
    return sign === '-' ? -magnitudeMs : magnitudeMs;
  }
}

/** Unix milliseconds. Unlike Date.UTC, it does not read the year 50 as 1950. */
function startOfYear(year: number): number {
  return toDayNumber(year, 1, 1) * DAY_MS;
}

/** The end of `7/1/2026, GMT-04:00`; seconds occur only in a zone's old local mean time. */
const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;
