/** Computes the slots of a backfill. */
import { parseTime } from '../time.ts';
import type { CronJobRunSpec } from './cronjobrun-types.ts';
import type { ValidTimetable } from './timetable.ts';
import { toSecondBefore } from './unmet-slots.ts';

export type Backfill = NonNullable<CronJobRunSpec['backfill']>;

export interface BackfillProgress {
  /** The creation time of the CronJobRun. */
  readonly createdAt: Date;
  /** The last slot that was started or skipped. Default: none. */
  readonly lastSlot?: Date | undefined;
}

/** Limits the search in a timetable with exclusions. */
const MAX_VISITED_SLOTS = 10_000;

/**
 * Returns the slots that were neither started nor skipped, in the order of the backfill. Returns `undefined` if there are more slots
 * than the limit of the backfill.
 */
export function findBackfillSlots(
  timetable: ValidTimetable,
  backfill: Backfill,
  progress: BackfillProgress,
): readonly Date[] | undefined {
  const { after, until } = remainingSpan(backfill, progress);
  const slots = slotsBetween(timetable, after, until, backfill.limit);
  return backfill.order === 'NewestFirst' ? slots?.toReversed() : slots;
}

/** A slot after the creation of the CronJobRun still has its time to come, or has just had it. */
function remainingSpan(backfill: Backfill, { createdAt, lastSlot }: BackfillProgress) {
  const start = parseTime(backfill.startTime) ?? new Date(0);
  const end = parseTime(backfill.endTime) ?? start;
  const span = { after: new Date(start.getTime() - 1), until: end <= createdAt ? justBefore(end) : createdAt };
  if (lastSlot === undefined) return span;
  return backfill.order === 'NewestFirst' ? { ...span, until: toSecondBefore(lastSlot) } : { ...span, after: lastSlot };
}

function justBefore(end: Date): Date {
  return new Date(end.getTime() - 1);
}

/** @returns The slots after `after` up to and including `until`; `undefined` if there are more than `limit`. */
function slotsBetween(
  { schedule, exclusions }: ValidTimetable,
  after: Date,
  until: Date,
  limit: number,
): readonly Date[] | undefined {
  const timetable = exclusions?.fullTimetable ?? schedule;
  const visited = timetable.between(after, until, { limit: exclusions ? MAX_VISITED_SLOTS : limit + 1 });
  if (exclusions !== undefined && visited.length === MAX_VISITED_SLOTS) return undefined;
  const slots = exclusions ? visited.filter((slot) => exclusions.find(slot) === undefined) : visited;
  return slots.length > limit ? undefined : slots;
}
