/** Finds the longest wait between two scheduled times without visiting all of them. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter } from '../time.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;

/** A wait between two slots of a schedule. */
export interface Gap {
  /** The slot before the gap. */
  readonly after: Date;
  /** The slot at the end of the gap; absent when no slot comes within five years. */
  readonly until?: Date;
}

interface GapOptions {
  readonly now: Date;
  /** When the clock of the schedule's zone changes within the year, earliest first. */
  readonly clockChanges: readonly Date[];
}

/**
 * Returns the longest gap within a year of the first slot after `now` that takes `atLeastMs` or longer; `undefined` when no gap is
 * that long.
 *
 * The search finds the last slot within `atLeastMs` of a slot and continues from there. When it finds the same slot again, it has
 * reached a gap. Two such steps advance by more than `atLeastMs`, so with a day or more a year takes at most 734 steps. With less,
 * it would take up to 525,600, and the days on which a schedule fires are all alike: two days from the first slot show the gaps
 * within a day and into the next day. The search then covers the year for gaps of a day or more, and the day before each clock
 * change for a gap that the change made longer. A slot takes a minute at least, so that is 2,880 steps, 734, and 1,440 for each of
 * at most {@link MAX_CLOCK_CHANGES} changes.
 *
 * The search misses a gap of less than a day that only a fifth clock change within the year makes so long: no zone has that many.
 */
export function longestGap(
  schedule: Pick<Schedule, 'kind' | 'next' | 'previous'>,
  atLeastMs: number,
  { now, clockChanges }: GapOptions,
): Gap | undefined {
  const first = schedule.next(now);
  if (first === undefined || atLeastMs > MAX_GAP_MS) return undefined;
  const search = new GapSearch(schedule, Math.max(atLeastMs, SECOND_MS) - SECOND_MS);
  if (schedule.kind === 'every') return search.from(first, first); // all its gaps are the same
  if (atLeastMs < DAY_MS) {
    search.from(first, new Date(first.getTime() + 2 * DAY_MS));
    for (const change of clockChanges.slice(0, MAX_CLOCK_CHANGES)) {
      search.from(schedule.next(new Date(change.getTime() - DAY_MS)), change);
    }
  }
  search.stepMs = Math.max(search.stepMs, DAY_MS - SECOND_MS);
  return search.from(first, new Date(first.getTime() + YEAR_MS));
}

/** More than the longest gap of any schedule, 300 years for an `@every`. A Date could not hold some longer gaps. */
const MAX_GAP_MS = 300 * YEAR_MS;

/** Clock changes of one year. Zones with daylight saving time have two, and Morocco, which ends it for Ramadan, has had four. */
const MAX_CLOCK_CHANGES = 4;

class GapSearch {
  /** A gap counts when it is longer than this. */
  stepMs: number;
  readonly #schedule: Pick<Schedule, 'next' | 'previous'>;
  #longest: Gap | undefined;

  constructor(schedule: Pick<Schedule, 'next' | 'previous'>, stepMs: number) {
    this.#schedule = schedule;
    this.stepMs = stepMs;
  }

  /** Examines the gaps after the slots from `first` to `last`, and returns the longest gap found so far. */
  from(first: Date | undefined, last: Date): Gap | undefined {
    let slot = first;
    while (slot !== undefined && !isAfter(slot, last)) {
      const limit = this.#schedule.previous(new Date(slot.getTime() + this.stepMs));
      slot = limit !== undefined && isAfter(limit, slot) ? limit : this.#gapAfter(slot);
    }
    return this.#longest;
  }

  #gapAfter(after: Date): Date | undefined {
    const until = this.#schedule.next(after);
    this.#longest = until === undefined ? { after } : { after, until };
    if (until !== undefined) this.stepMs = until.getTime() - after.getTime();
    return until;
  }
}
