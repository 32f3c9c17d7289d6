import type { Timetable } from 'kubernetes-cron-schedule';
import { findLatest, isAfter } from '../time.ts';
import { MAX_MISSED_SLOTS } from './cronjob-defaults.ts';
import type { ValidDelayedTimetable } from './delayed-timetable.ts';

/** The newest slots in a period. */
export interface UnmetSlots {
  /** Absent if the period has no slots. */
  readonly newest?: Date;
  /** The oldest counted slot. Absent if the period has no slots. */
  readonly oldest?: Date;
  /** The number of slots, up to the limit. */
  readonly count: number;
}

/** Finds the slots after `floor` up to and including `now`, from the newest to the oldest. Stops after `limit` slots. */
export function findUnmetSlots(
  schedule: Pick<Timetable, 'previous'>,
  floor: Date,
  now: Date,
  limit: number,
): UnmetSlots {
  const newest = keepIfAfterFloor(schedule.previous(now, floor), floor);
  if (newest === undefined) return { count: 0 };
  let [oldest, count] = [newest, 1];
  for (; count < limit; count++) {
    const slot = keepIfAfterFloor(schedule.previous(toSecondBefore(oldest), floor), floor);
    if (slot === undefined) break;
    oldest = slot;
  }
  return { newest, oldest, count };
}

interface MissedSlotOptions {
  readonly now: Date;
  /** The value of `spec.startingDeadlineSeconds`. Default: no deadline. */
  readonly deadlineSeconds?: number | undefined;
}

/**
 * Returns the newest slot after `floor` whose delay has ended. When a suspension ends, the missed run of this slot
 * starts. Returns `undefined` if the deadline of the slot has passed, or if more than {@link MAX_MISSED_SLOTS} slots
 * were missed.
 */
export function findMissedSlot(
  { schedule, startedThrough }: ValidDelayedTimetable,
  floor: Date,
  { now, deadlineSeconds }: MissedSlotOptions,
): Date | undefined {
  const until = startedThrough(now);
  const cutoff =
    deadlineSeconds === undefined
      ? floor
      : findLatest(floor, startedThrough(new Date(now.getTime() - deadlineSeconds * 1000)));
  if (!isAfter(until, cutoff)) return undefined;
  const { newest, count } = findUnmetSlots(schedule, cutoff, until, MAX_MISSED_SLOTS + 1);
  return count > MAX_MISSED_SLOTS ? undefined : newest;
}

function keepIfAfterFloor(slot: Date | undefined, floor: Date): Date | undefined {
  return slot !== undefined && isAfter(slot, floor) ? slot : undefined;
}

/** Returns the time one second before `slot`. Slots have whole seconds, so no slot is between the result and `slot`. */
export function toSecondBefore(slot: Date): Date {
  return new Date(slot.getTime() - 1000);
}
