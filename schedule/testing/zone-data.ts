/**
 * Finds differences between the time zone data of Go and Node, so that tests can ignore them. Go and Node may contain different
 * releases of the data.
 */
import { type OffsetChange, readGoldenOffsets } from './golden.ts';

const WEEK_SECONDS = 7 * 24 * 60 * 60;
/** The start and the end of the golden offsets, in Unix seconds. */
const GOLDEN_START = Date.UTC(2009, 0, 1) / 1000;
const GOLDEN_END = Date.UTC(2050, 0, 1) / 1000;

export class ZoneData {
  readonly #golden = readGoldenOffsets();
  readonly #differences = new Map<string, readonly number[]>();

  /**
   * Returns whether the offsets of Go and Node differ at any time from a week before `from` until a week after `until`.
   * Both times are in Unix seconds.
   */
  differsBetween(timeZone: string, from: number, until: number): boolean {
    return this.#getDifferences(timeZone).some((at) => from - WEEK_SECONDS <= at && at <= until + WEEK_SECONDS);
  }

  #getDifferences(timeZone: string): readonly number[] {
    let differences = this.#differences.get(timeZone);
    if (!differences) {
      differences = findDifferences(timeZone, this.#golden.get(timeZone) ?? []);
      this.#differences.set(timeZone, differences);
    }
    return differences;
  }
}

/**
 * Returns the instants at which the offsets of Node and Go differ. Checks one instant per week, and the seconds around
 * each offset change in Go's data.
 */
function findDifferences(timeZone: string, goldenOffsets: readonly OffsetChange[]): readonly number[] {
  const offsetAt = readIntlOffsets(timeZone);
  if (!offsetAt) return sampleInstants(goldenOffsets);
  return sampleInstants(goldenOffsets).filter(
    (at) => offsetAt(at) !== goldenOffsets.findLast(({ from }) => from <= at)?.offset,
  );
}

function sampleInstants(goldenOffsets: readonly OffsetChange[]): readonly number[] {
  const weeks = Array.from(
    { length: Math.ceil((GOLDEN_END - GOLDEN_START) / WEEK_SECONDS) },
    (_, week) => GOLDEN_START + week * WEEK_SECONDS,
  );
  const changes = goldenOffsets.slice(1).flatMap(({ from }) => [from - 1, from]);
  return [...weeks, ...changes];
}

/** Returns a function that reads an offset in seconds, or `undefined` if Intl does not have the time zone. */
function readIntlOffsets(timeZone: string): ((at: number) => number) | undefined {
  if (!isKnownToIntl(timeZone)) return undefined;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(at * 1000)) ?? [];
    const magnitude = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60;
    return sign === '-' ? -magnitude : magnitude;
  };
}

export function isKnownToIntl(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return true;
  } catch {
    return false;
  }
}
