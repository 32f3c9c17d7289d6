/** Delays the starts of runs to spread runs with the same scheduled time. */
import { describeValue } from './describe-value.ts';
import { toUnixMs } from './schedule.ts';
import type { Timetable } from './timetable.ts';

const SECOND_MS = 1000;

/**
 * Returns the delay of a key in milliseconds: whole seconds, at most `maxSeconds`. The same key always has the same
 * delay. The delays of many keys are evenly distributed, because they come from a hash of the key (32-bit FNV-1a).
 * @param key A unique string, such as a UID. A value of another type causes a TypeError.
 * @param maxSeconds The maximum delay, rounded down to whole seconds. A negative maximum counts as 0.
 */
export function stableDelayMs(key: string, maxSeconds: number): number {
  if (typeof key !== 'string') throw new TypeError(`the key must be a string, not ${describeValue(key)}`);
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193) >>> 0;
  // Similar keys have similar low bits in their FNV hashes. XOR with the high bits spreads similar keys.
  return (((hash ^ (hash >>> 15)) >>> 0) % (Math.max(0, Math.floor(maxSeconds)) + 1)) * SECOND_MS;
}

/**
 * Returns the start of the run of `slot`, which is `delayMs` after `slot`. The start is at least a second before the next
 * slot, to preserve the order of the runs. Throws a RangeError for an invalid Date.
 * @param delayMs At least 0, usually from {@link stableDelayMs}.
 */
export function delayedStart(timetable: Pick<Timetable, 'next'>, slot: Date, delayMs: number): Date {
  const nextSlot = timetable.next(slot);
  const latestMs = nextSlot === undefined ? Number.POSITIVE_INFINITY : nextSlot.getTime() - SECOND_MS;
  const startMs = Math.min(toUnixMs(slot) + delayMs, latestMs);
  return new Date(Math.max(startMs, slot.getTime()));
}

/**
 * Returns the latest time, not after `now`, up to which the run of every slot has started. Without a delay, returns
 * `now`.
 * @param delayMs The same delay as for {@link delayedStart}.
 */
export function lastStartedTime(timetable: Timetable, now: Date, delayMs: number): Date {
  if (delayMs <= 0) return now;
  // Only the run of the last slot can be waiting, because each run starts before the next slot.
  const lastSlot = timetable.previous(now, new Date(now.getTime() - delayMs - SECOND_MS));
  if (lastSlot === undefined || delayedStart(timetable, lastSlot, delayMs) <= now) return now;
  return new Date(lastSlot.getTime() - SECOND_MS);
}
