import type { Timetable } from 'kubernetes-cron-schedule';

/** The number of slots to examine. */
const MAX_EXAMINED_SLOTS = 100;
/** Later than any scheduled time. */
const FAR_FUTURE = new Date('9999-12-31T23:59:59Z');

/** Returns the shortest time between two of the next 100 slots, in seconds. Infinite for fewer than two slots. */
export function findShortestGapSeconds(schedule: Timetable, now: Date): number {
  const slots = schedule.between(now, FAR_FUTURE, { limit: MAX_EXAMINED_SLOTS });
  const gaps = slots.slice(1).map((slot, index) => (slot.getTime() - (slots[index]?.getTime() ?? 0)) / 1000);
  return Math.min(...gaps);
}
