import QuickLRU from 'quick-lru';
import { TIME_ZONE_NAMES } from './time-zone-names.ts';

/**
 * A time zone with its offsets from UTC. {@link loadTimeZone} returns time zones with the data of Intl. To use other
 * time zone data, implement {@link TimeZone}.
 */
export interface TimeZone {
  /** The name of the time zone, usually an IANA name. */
  readonly name: string;
  /**
   * Returns the span of constant offset that contains `instantMs`. The spans of a time zone have no gaps. Consecutive
   * spans may have the same offset.
   * @param instantMs Unix milliseconds.
   */
  offsetAt(instantMs: number): ConstantOffset;
}

/** A span of time with a constant offset from UTC, in Unix milliseconds. */
export interface ConstantOffset {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** Local time minus UTC in milliseconds, less than 24 hours in either direction. */
  readonly offsetMs: number;
}

/**
 * Returns the time zone of a case-sensitive IANA name, or `undefined` if the time zone does not exist. The offsets come
 * from the time zone data of Intl.
 *
 * The same name always returns the same time zone, which reads and caches its offsets when a schedule uses them.
 */
export function loadTimeZone(name: string): TimeZone | undefined {
  const loadedZone = loadedZones.get(name);
  if (loadedZone !== undefined || !KNOWN_NAMES.has(name)) return loadedZone;
  try {
    const zone = new IntlTimeZone(name);
    loadedZones.set(name, zone);
    return zone;
  } catch {
    return undefined; // Intl does not have the time zone Factory
  }
}

/** Returns the time zone that `name` spells in another case, or with spaces instead of underscores. */
export function suggestTimeZoneName(name: string): string | undefined {
  const normalizedName = name.trim().replaceAll(' ', '_').toLowerCase();
  const suggestion = TIME_ZONE_NAMES.find((each) => each.toLowerCase() === normalizedName);
  return suggestion === undefined ? undefined : loadTimeZone(suggestion)?.name;
}

const UTC_OFFSET: ConstantOffset = {
  startMs: Number.NEGATIVE_INFINITY,
  endMs: Number.POSITIVE_INFINITY,
  offsetMs: 0,
};

export const UTC: TimeZone = { name: 'UTC', offsetAt: () => UTC_OFFSET };

/**
 * A cache of at most 600 time zones, one per known name. Creating an Intl.DateTimeFormat takes longer than parsing a
 * schedule.
 */
const loadedZones = new Map<string, TimeZone>([[UTC.name, UTC]]);

const KNOWN_NAMES: ReadonlySet<string> = new Set(TIME_ZONE_NAMES);

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
/** The length of a window of time. The offsets in a window are read and cached together. */
const OFFSET_WINDOW_MS = 128 * DAY_MS;
/** Since 1900, no time zone has kept an offset for less than six days. */
const OFFSET_SEARCH_STEP_MS = 4 * DAY_MS;
/** The `maxSize` of QuickLRU, which caches up to twice as many windows per zone: 44 years. */
const MAX_CACHED_WINDOWS = 64;

/** Reads and caches the offsets of a window, because each call to Intl takes about a microsecond. */
class IntlTimeZone implements TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #spansByWindow = new QuickLRU<number, readonly ConstantOffset[]>({ maxSize: MAX_CACHED_WINDOWS });

  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  offsetAt(instantMs: number): ConstantOffset {
    const span = this.#getSpans(Math.floor(instantMs / OFFSET_WINDOW_MS)).findLast(
      ({ startMs }) => startMs <= instantMs,
    );
    if (!span) throw new RangeError(`no offset at ${instantMs} ms`);
    return span;
  }

  #getSpans(window: number): readonly ConstantOffset[] {
    let spans = this.#spansByWindow.get(window);
    if (!spans) {
      spans = this.#readSpans(window * OFFSET_WINDOW_MS, (window + 1) * OFFSET_WINDOW_MS);
      this.#spansByWindow.set(window, spans);
    }
    return spans;
  }

  /** Compares the offsets at each step. If two offsets differ, finds the exact time of the change. */
  #readSpans(fromMs: number, untilMs: number): readonly ConstantOffset[] {
    const spans: ConstantOffset[] = [];
    let startMs = fromMs;
    let offsetMs = this.#readOffset(fromMs);
    for (let stepMs = fromMs; stepMs < untilMs; stepMs += OFFSET_SEARCH_STEP_MS) {
      const nextOffsetMs = this.#readOffset(stepMs + OFFSET_SEARCH_STEP_MS);
      if (nextOffsetMs === offsetMs) continue;
      const changeMs = this.#findOffsetChange(stepMs, stepMs + OFFSET_SEARCH_STEP_MS, offsetMs);
      spans.push({ startMs, endMs: changeMs, offsetMs });
      startMs = changeMs;
      offsetMs = nextOffsetMs;
    }
    return startMs < untilMs ? [...spans, { startMs, endMs: untilMs, offsetMs }] : spans;
  }

  #findOffsetChange(lowMs: number, highMs: number, offsetMs: number): number {
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
    const [, sign, hours, minutes, seconds = '0'] = OFFSET_PATTERN.exec(text) ?? [];
    if (sign === undefined) return 0; // "GMT" alone
    const magnitudeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS;
    return sign === '-' ? -magnitudeMs : magnitudeMs;
  }
}

/** Matches the offset in `7/1/2026, GMT-04:00`. Only historical offsets have seconds. */
const OFFSET_PATTERN = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;
