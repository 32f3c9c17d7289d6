/** When the run of each slot starts with `spec.jitterSeconds`. Shares no code with the operator, which the rules test. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { memoize } from './calendar.ts';
import { SECOND_MS } from './durations.ts';
import type { TimetableSlots } from './timetable.ts';

export interface DelayedSlots extends TimetableSlots {
  /** The start of the run of a slot. */
  readonly startOf: (slot: Date) => Date;
  /** The newest time up to `now` that no slot precedes whose run starts after `now`. */
  readonly startedThrough: (now: Date) => Date;
}

const delays = new Map<string, number>();

export function withJitter(slots: TimetableSlots, { metadata, spec }: CronJob): DelayedSlots {
  const { jitterSeconds = 0 } = spec;
  const delaySeconds = memoize(delays, `${metadata.uid} ${jitterSeconds}`, () =>
    computeDelaySeconds(metadata.uid, jitterSeconds),
  );
  const delayMs = delaySeconds * SECOND_MS;
  if (delayMs === 0) return { ...slots, startOf: (slot) => slot, startedThrough: (now) => now };
  const startOf = (slot: Date) => {
    const nextMs = slots.next(slot)?.getTime() ?? Number.POSITIVE_INFINITY;
    return new Date(Math.min(slot.getTime() + delayMs, nextMs - SECOND_MS));
  };
  const startedThrough = (now: Date) => {
    const newest = slots.previous(now);
    return newest === undefined || startOf(newest) <= now ? now : new Date(newest.getTime() - SECOND_MS);
  };
  return { ...slots, startOf, startedThrough };
}

/** FNV-1a with 32 bits, whose high bits are mixed into the low bits, modulo one more than the maximum. */
export function computeDelaySeconds(uid: string, maxSeconds: number): number {
  let hash = 2_166_136_261n;
  for (const byte of Buffer.from(uid)) hash = ((hash ^ BigInt(byte)) * 16_777_619n) % 4_294_967_296n;
  return Number((hash ^ (hash >> 15n)) % BigInt(maxSeconds + 1));
}
