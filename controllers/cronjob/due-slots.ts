/** Which slots went by without a run: those that may still start, and those that are too late. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { type UnmetSlots, unmetSlots } from '../../api/v1/unmet-slots.ts';

/** Longer deadlines are as good as none, and would lead beyond what a Date can hold. 300 years. */
const MAX_DEADLINE_SECONDS = 300 * 366 * 86_400;

/** `startingDeadlineSeconds` in milliseconds, never negative; `undefined` when there is no deadline. */
export function deadlineMs({ startingDeadlineSeconds: seconds }: CronJobSpec): number | undefined {
  return seconds === undefined || seconds > MAX_DEADLINE_SECONDS ? undefined : Math.max(0, seconds) * 1000;
}

export interface DueSlots {
  /** Slots that may still start. */
  readonly unmet: UnmetSlots;
  /** Slots whose deadline has passed. */
  readonly expired: UnmetSlots;
}

const NONE: UnmetSlots = { count: 0 };
export const NOTHING_DUE: DueSlots = { unmet: NONE, expired: NONE };

/**
 * The slots in (floor, now] for which nothing has been started. Counts are exact up to {@link MAX_MISSED_SLOTS} + 1.
 * With a deadline of 0 nothing is ever due.
 */
export function dueSlots(schedule: Schedule, floor: Date, { spec, now }: { spec: CronJobSpec; now: Date }): DueSlots {
  const deadline = deadlineMs(spec);
  if (deadline === 0) return NOTHING_DUE;
  const limit = MAX_MISSED_SLOTS + 1;
  const tooLate = deadline === undefined ? floor : new Date(now.getTime() - deadline);
  if (tooLate <= floor) return { unmet: unmetSlots(schedule, floor, now, limit), expired: NONE };
  return {
    unmet: unmetSlots(schedule, tooLate, now, limit),
    expired: unmetSlots(schedule, floor, tooLate, limit),
  };
}
