/** Computes the slots that a CronJobRun has not started yet. */
import { parseTime, toWholeSeconds } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { parseTimetable, type ValidTimetable } from '../../api/v1/timetable.ts';
import { toSecondBefore } from '../../api/v1/unmet-slots.ts';
import { computeEffectiveSchedule } from '../cronjob/slots.ts';

type Backfill = NonNullable<CronJobRun['spec']['backfill']>;

export type BackfillSlots =
  /** In the order of the backfill. */
  | { readonly kind: 'Slots'; readonly slots: readonly Date[] }
  | { readonly kind: 'InvalidSchedule'; readonly message: string }
  /** The time contains more slots than the limit of the backfill. */
  | { readonly kind: 'TooManySlots' };

/** Limits the search in a timetable with exclusions. */
const MAX_VISITED_SLOTS = 10_000;

/**
 * Returns the slots of a backfill that were neither started nor skipped. An edit of the schedule changes the slots that remain.
 * @param lastSlot The last slot that was started or skipped. Default: none.
 */
export function remainingSlots(cronJob: CronJob, run: CronJobRun, now: Date, lastSlot?: Date): BackfillSlots {
  const { backfill } = run.spec;
  if (backfill === undefined) return { kind: 'Slots', slots: [] };
  const parsed = parseTimetable(cronJob.spec, computeEffectiveSchedule(cronJob, now).since);
  if (parsed.kind === 'invalid') return { kind: 'InvalidSchedule', message: parsed.message };
  const { after, until } = remainingSpan(run, backfill, lastSlot);
  const slots = slotsBetween(parsed, after, until, backfill.limit);
  if (slots === undefined) return { kind: 'TooManySlots' };
  return { kind: 'Slots', slots: backfill.order === 'NewestFirst' ? slots.toReversed() : slots };
}

/** A slot after the creation of the CronJobRun still has its time to come, or has just had it. */
function remainingSpan({ metadata }: CronJobRun, backfill: Backfill, lastSlot: Date | undefined) {
  const start = parseTime(backfill.startTime) ?? new Date(0);
  const end = parseTime(backfill.endTime) ?? start;
  const created = parseTime(metadata.creationTimestamp) ?? start;
  const span = { after: new Date(start.getTime() - 1), until: end <= created ? justBefore(end) : created };
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

/** Returns the slot of a CronJobRun for one scheduled time, in whole seconds. */
export function requestedSlot({ spec }: Pick<CronJobRun, 'spec'>): Date | undefined {
  const slot = parseTime(spec.scheduledTime);
  return slot && toWholeSeconds(slot);
}
