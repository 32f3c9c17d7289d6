/** Computes the slots (scheduled times) whose runs a CronJobRun has not started yet. */
import { parseTime, toWholeSeconds } from '../../api/time.ts';
import { type Backfill, type BackfillProgress, findBackfillSlots } from '../../api/v1/backfill-slots.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { parseTimetable } from '../../api/v1/timetable.ts';
import { computeEffectiveSchedule } from '../cronjob/slots.ts';

export type BackfillSlots =
  /** The slots, in the order of the backfill. */
  | { readonly kind: 'Slots'; readonly slots: readonly Date[] }
  | { readonly kind: 'InvalidSchedule'; readonly message: string }
  /** The period contains more slots than the limit of the backfill. */
  | { readonly kind: 'TooManySlots' };

/** The CronJob, and the values on which its slots depend. */
interface BackfillInput extends BackfillProgress {
  readonly cronJob: CronJob;
  readonly now: Date;
}

/**
 * Returns the slots whose runs the backfill has not started or skipped yet. An edit of the schedule during the backfill
 * changes the remaining slots.
 */
export function findRemainingSlots(backfill: Backfill, { cronJob, now, ...progress }: BackfillInput): BackfillSlots {
  const parsed = parseTimetable(cronJob.spec, computeEffectiveSchedule(cronJob, now).since);
  if (parsed.kind === 'invalid') return { kind: 'InvalidSchedule', message: parsed.message };
  const slots = findBackfillSlots(parsed, backfill, progress);
  return slots === undefined ? { kind: 'TooManySlots' } : { kind: 'Slots', slots };
}

/** Returns the slot of a CronJobRun for one scheduled time, in whole seconds. */
export function getRequestedSlot({ spec }: Pick<CronJobRun, 'spec'>): Date | undefined {
  const slot = parseTime(spec.scheduledTime);
  return slot && toWholeSeconds(slot);
}
