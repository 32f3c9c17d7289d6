import type { Schedule, Timetable } from 'kubernetes-cron-schedule';
import { isAfter } from '../time.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;

/** The time between two consecutive slots of a schedule. */
export interface Gap {
  /** The slot at the start of the gap. */
  readonly start: Date;
  /** The slot at the end of the gap. Absent if the schedule has no slot within five years. */
  readonly end?: Date;
}

interface GapOptions {
  readonly now: Date;
  /** The clock changes in the time zone of the schedule within a year of `now`, in ascending order. */
  readonly clockChanges: readonly Date[];
}

/**
 * Returns the longest gap of at least `minGapMs` within a year of the first slot after `now`, or `undefined` without such a gap.
 *
 * From each slot, the search continues at the last slot within `minGapMs`. A gap begins at a slot if no other slot follows within
 * `minGapMs`. Two steps together advance by more than `minGapMs`, so a search for gaps of a day or more takes at most 734 steps.
 *
 * For shorter gaps, a search of the whole year could take 525,600 steps. A cron schedule fires at the same times of day
 * on each of its days, so the search for short gaps examines only the first two days and the day before each clock
 * change. For gaps of a day or more, a second search examines the whole year. With several schedules or exclusions, the
 * search misses short gaps on the days that it does not examine. The search takes at most 2,880 steps for the first two
 * days, 1,440 steps per clock change, and 734 steps for the year.
 */
export function findLongestGap(
  schedule: Pick<Timetable, 'next' | 'previous'> & Partial<Pick<Schedule, 'kind'>>,
  minGapMs: number,
  { now, clockChanges }: GapOptions,
): Gap | undefined {
  const firstSlot = schedule.next(now);
  if (firstSlot === undefined || minGapMs > MAX_GAP_MS) return undefined;
  const search = new GapSearch(schedule, Math.max(minGapMs, SECOND_MS) - SECOND_MS);
  if (schedule.kind === 'every') return search.searchBetween(firstSlot, firstSlot); // all gaps of an @every schedule are equal
  if (minGapMs < DAY_MS) {
    search.searchBetween(firstSlot, new Date(firstSlot.getTime() + 2 * DAY_MS));
    for (const clockChange of clockChanges.slice(0, MAX_CLOCK_CHANGES)) {
      search.searchBetween(schedule.next(new Date(clockChange.getTime() - DAY_MS)), clockChange);
    }
  }
  search.stepMs = Math.max(search.stepMs, DAY_MS - SECOND_MS);
  return search.searchBetween(firstSlot, new Date(firstSlot.getTime() + YEAR_MS));
}

/** No schedule has a gap above this maximum, because `@every` accepts at most 292 years. */
const MAX_GAP_MS = 300 * YEAR_MS;

/**
 * The maximum number of clock changes in a year. Morocco has had four clock changes in a year, because Ramadan
 * interrupted daylight saving time.
 */
const MAX_CLOCK_CHANGES = 4;

class GapSearch {
  /** The search finds only gaps that are longer than `stepMs`. */
  stepMs: number;
  readonly #schedule: Pick<Schedule, 'next' | 'previous'>;
  #longest: Gap | undefined;

  constructor(schedule: Pick<Schedule, 'next' | 'previous'>, stepMs: number) {
    this.#schedule = schedule;
    this.stepMs = stepMs;
  }

  /** Examines the gaps after the slots from `firstSlot` to `lastSlot`. Returns the longest gap of all searches. */
  searchBetween(firstSlot: Date | undefined, lastSlot: Date): Gap | undefined {
    let slot = firstSlot;
    while (slot !== undefined && !isAfter(slot, lastSlot)) {
      const nextStart = this.#schedule.previous(new Date(slot.getTime() + this.stepMs));
      slot = nextStart !== undefined && isAfter(nextStart, slot) ? nextStart : this.#recordGap(slot);
    }
    return this.#longest;
  }

  #recordGap(after: Date): Date | undefined {
    const until = this.#schedule.next(after);
    this.#longest = until === undefined ? { start: after } : { start: after, end: until };
    if (until !== undefined) this.stepMs = until.getTime() - after.getTime();
    return until;
  }
}
