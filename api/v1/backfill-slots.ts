/** Computes the slots (scheduled times) of a backfill. */
import { parseTime } from '../time.ts';
import type { CronJobRunSpec } from './cronjobrun-types.ts';
import type { ValidTimetable } from './timetable.ts';
import { toSecondBefore } from './unmet-slots.ts';

export type Backfill = NonNullable<CronJobRunSpec['backfill']>;

export interface BackfillProgress {
  /** The creation time of the CronJobRun. */
  readonly createdAt: Date;
  /** The last slot whose run was started or skipped. Default: none. */
  readonly lastSlot?: Date | undefined;
  /** Number of slots that count towards the limit because their runs were started or skipped. Default 0. */
  readonly handledCount?: number;
}

/** The maximum number of slots that a search visits if some scheduled times are excluded. Excluded slots count too. */
const MAX_VISITED_SLOTS = 10_000;

/**
 * Returns the slots whose runs the backfill has not started or skipped yet, in the order of the backfill. Returns
 * `undefined` if the backfill has more slots than its limit.
 */
export function findBackfillSlots(
  timetable: ValidTimetable,
  backfill: Backfill,
  progress: BackfillProgress,
): readonly Date[] | undefined {
  const { after, until } = getRemainingPeriod(backfill, progress);
  const slots = listSlots(timetable, after, until, backfill.limit - (progress.handledCount ?? 0));
  return backfill.order === 'NewestFirst' ? slots?.toReversed() : slots;
}

/** The period ends at the creation of the CronJobRun at the latest, because the schedule itself starts the runs of later slots. */
function getRemainingPeriod(backfill: Backfill, { createdAt, lastSlot }: BackfillProgress) {
  const start = parseTime(backfill.startTime) ?? new Date(0);
  const end = parseTime(backfill.endTime) ?? start;
  const period = { after: toMillisecondBefore(start), until: end <= createdAt ? toMillisecondBefore(end) : createdAt };
  if (lastSlot === undefined) return period;
  return backfill.order === 'NewestFirst'
    ? { ...period, until: toSecondBefore(lastSlot) }
    : { ...period, after: lastSlot };
}

function toMillisecondBefore(time: Date): Date {
  return new Date(time.getTime() - 1);
}

/** Returns the slots after `after` up to and including `until`, or `undefined` if there are more than `limit`. */
function listSlots(
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
