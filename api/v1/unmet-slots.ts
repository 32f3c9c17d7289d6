import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter } from '../time.ts';

/** The slots of a span of time: the two newest, and the count. */
export interface UnmetSlots {
  /** The newest slot; absent in a span without slots. */
  readonly newest?: Date;
  /** The slot before the newest, if it is in the span too. */
  readonly before?: Date;
  /** The oldest slot; present only when the count is below the limit. */
  readonly oldest?: Date;
  /** How many slots there are; exact up to the limit. */
  readonly count: number;
}

/** The slots in (floor, now], counted backwards from the newest, and no further than `limit`. */
export function unmetSlots(schedule: Pick<Schedule, 'previous'>, floor: Date, now: Date, limit: number): UnmetSlots {
  const newest = slotAbove(floor, schedule.previous(now));
  if (newest === undefined) return { count: 0 };
  const before = slotAbove(floor, schedule.previous(secondBefore(newest)));
  let [oldest, slot, count] = [newest, before, 1];
  for (; slot !== undefined && count < limit; count++) {
    oldest = slot;
    slot = slotAbove(floor, schedule.previous(secondBefore(slot)));
  }
  return { newest, ...(before && { before }), ...(count < limit && { oldest }), count };
}

function slotAbove(floor: Date, slot: Date | undefined): Date | undefined {
  return slot !== undefined && isAfter(slot, floor) ? slot : undefined;
}

/** Slots are whole seconds, so no slot lies in between. */
function secondBefore(slot: Date): Date {
  return new Date(slot.getTime() - 1000);
}
