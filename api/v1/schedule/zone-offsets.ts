/** How far local time is from UTC, and when that changes. */
import QuickLRU from 'quick-lru';

/** A time during which the offset does not change: [startMs, endMs) in Unix milliseconds. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  /** Local time minus UTC. */
  readonly offsetMs: number;
}

/** The stretches of one zone. They adjoin, and cover all time. Neighbours may have the same offset. */
export interface ZoneOffsets {
  stretchAt(instantMs: number): Stretch;
}

/** Of each zone: a catch-up and a search for the next slot look at a few. Up to twice as many are kept. */
const MAX_YEARS = 16;

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;

const ALWAYS: Stretch = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
const UTC: ZoneOffsets = { stretchAt: () => ALWAYS };

/** One table for each zone of the process, made when it is first asked for; there are some 600 zones. */
const shared = new Map<string, ZoneOffsets>([['UTC', UTC]]);

/** The offsets of an IANA zone, from Intl. Throws RangeError when Intl does not know it. */
export function zoneOffsets(timeZone: string): ZoneOffsets {
  let offsets = shared.get(timeZone);
  if (!offsets) {
    offsets = new IntlZoneOffsets(timeZone);
    shared.set(timeZone, offsets);
  }
  return offsets;
}

/** Asks Intl for a year at a time, when the first instant in that year is looked up: Intl takes microseconds a question. */
class IntlZoneOffsets implements ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new QuickLRU<number, readonly Stretch[]>({ maxSize: MAX_YEARS });

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  stretchAt(instantMs: number): Stretch {
    const year = new Date(instantMs).getUTCFullYear();
    const stretches = this.#stretchesOf(year);
    let low = 0;
    let high = stretches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((stretches[middle]?.startMs ?? 0) <= instantMs) low = middle;
      else high = middle - 1;
    }
    const found = stretches[low];
    if (!found) throw new RangeError(`no offset at ${instantMs} ms`);
    return found;
  }

  #stretchesOf(year: number): readonly Stretch[] {
    let stretches = this.#years.get(year);
    if (!stretches) {
      stretches = this.#read(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
      this.#years.set(year, stretches);
    }
    return stretches;
  }

  /** Looks once a day; where two days differ, finds the second in which the offset changed. */
  #read(fromMs: number, untilMs: number): readonly Stretch[] {
    const stretches: Stretch[] = [];
    let startMs = fromMs;
    let offsetMs = this.#offsetAt(fromMs);
    for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY_MS) {
      const nextMs = this.#offsetAt(dayMs + DAY_MS);
      if (nextMs === offsetMs) continue;
      const changeMs = this.#changeBetween(dayMs, dayMs + DAY_MS, offsetMs);
      if (changeMs < untilMs) {
        stretches.push({ startMs, endMs: changeMs, offsetMs });
        startMs = changeMs;
      }
      offsetMs = nextMs;
    }
    stretches.push({ startMs, endMs: untilMs, offsetMs: this.#offsetAt(untilMs - SECOND_MS) });
    return stretches;
  }

  #changeBetween(lowMs: number, highMs: number, offsetMs: number): number {
    let [low, high] = [lowMs, highMs];
    while (high - low > SECOND_MS) {
      const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
      if (this.#offsetAt(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offsetAt(instantMs: number): number {
    const text = this.#format.format(instantMs);
    const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(text) ?? [];
    if (sign === undefined) return 0; // "GMT" alone
    const magnitudeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS;
    return sign === '-' ? -magnitudeMs : magnitudeMs;
  }
}

/** The end of `7/1/2026, GMT-04:00`; seconds only in zones' old local mean times. */
const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;
