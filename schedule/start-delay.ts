/** Runs that start some time after their instant, so that many schedules with one instant do not start at once. */
import { toUnixMs } from './schedule.ts';
import type { Timetable } from './timetable.ts';

const SECOND_MS = 1000;

/**
 * A delay from 0 to `maxSeconds`, in whole milliseconds of full seconds: always the same for one key, and spread evenly
 * over keys (32-bit FNV-1a).
 * @param key Such as a UID.
 */
export function stableDelayMs(key: string, maxSeconds: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193) >>> 0;
  // The low bits of FNV of similar keys are similar; the high bits are mixed in.
  return (((hash ^ (hash >>> 15)) >>> 0) % (Math.max(0, Math.floor(maxSeconds)) + 1)) * SECOND_MS;
}

/**
 * When the run of `slot` starts: `delayMs` later, but at least a second before the next instant, so that runs keep their
 * order.
 */
export function delayedStart(timetable: Timetable, slot: Date, delayMs: number): Date {
  const next = timetable.next(slot);
  const latestMs = next === undefined ? Number.POSITIVE_INFINITY : next.getTime() - SECOND_MS;
  const startMs = Math.min(toUnixMs(slot) + delayMs, latestMs);
  return new Date(Math.max(startMs, slot.getTime()));
}

/** The time up to which every instant has started by `now`; never after `now`. */
export function lastStartedTime(timetable: Timetable, now: Date, delayMs: number): Date {
  if (delayMs <= 0) return now;
  // Only the last instant can still wait: each start comes before the next instant.
  const last = timetable.previous(now);
  if (last === undefined || delayedStart(timetable, last, delayMs) <= now) return now;
  return new Date(last.getTime() - SECOND_MS);
}
