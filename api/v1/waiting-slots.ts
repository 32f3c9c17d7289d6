/** Lists the scheduled times whose runs wait with concurrencyPolicy Queue, or start late with catchUpPolicy All. */
import { isSameJson } from 'controller-runtime/schema';
import { findLatest, isAfter, parseTime } from '../time.ts';
import { getCatchUpLimit } from './concurrency.ts';
import { MAX_SPAN_SECONDS } from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { type DelayedTimetable, parseDelayedTimetable } from './delayed-timetable.ts';
import { isSuspendedAt } from './suspension.ts';
import { getScheduleStart, pickScheduleFields } from './timetable.ts';
import { findUnmetSlots, toSecondBefore } from './unmet-slots.ts';

type WaitingCronJob = Pick<CronJob, 'metadata' | 'spec' | 'status'>;

interface WaitingOptions {
  readonly now: Date;
  /** The maximum number of waiting slots. */
  readonly limit: number | undefined;
}

/**
 * Returns the past scheduled times whose runs have yet to start, the oldest first. The list is empty if only the newest
 * missed run starts.
 */
export function listWaitingSlots(cronJob: WaitingCronJob, now: Date): readonly Date[] {
  return listUnmetSlots(cronJob, { now, limit: getCatchUpLimit(cronJob.spec) });
}

/**
 * Returns the waiting slots whose runs no longer start if `newSpec` replaces the spec, the oldest first. With
 * `suspend`, the runs start after the suspension, unless the suspension contains a scheduled time.
 */
export function listDroppedWaitingSlots(
  cronJob: WaitingCronJob,
  newSpec: CronJobSpec,
  { now, limit }: { readonly now: Date; readonly limit: number },
): readonly Date[] {
  // A search skips excluded slots one by one, so an admission request must not search a long period.
  const waitingSlots = isPeriodShort(cronJob, now, limit) ? listWaitingSlots(cronJob, now) : [];
  if (waitingSlots.length === 0) return [];
  const isScheduleEdited = !isSameJson(pickScheduleFields(newSpec), pickScheduleFields(cronJob.spec));
  const newestOnly = newSpec.concurrencyPolicy === 'Skip' ? 0 : 1;
  const newLimit = getCatchUpLimit(newSpec) ?? newestOnly;
  const keptSlots = isScheduleEdited
    ? []
    : listUnmetSlots({ ...cronJob, spec: { ...newSpec, suspend: false } }, { now, limit: newLimit });
  const keptTimes = new Set(keptSlots.map((slot) => slot.getTime()));
  return waitingSlots.filter((slot) => !keptTimes.has(slot.getTime()));
}

function isPeriodShort(cronJob: WaitingCronJob, now: Date, limit: number): boolean {
  const timetable = parseDelayedTimetable(cronJob, getScheduleAnchor(cronJob));
  if (timetable.kind === 'invalid' || timetable.exclusions === undefined) return true;
  return (
    findUnmetSlots(timetable.exclusions.fullTimetable, computeSlotFloor(cronJob, timetable, now), now, limit + 1)
      .count <= limit
  );
}

function listUnmetSlots(cronJob: WaitingCronJob, { now, limit = 0 }: WaitingOptions): readonly Date[] {
  const { spec, status } = cronJob;
  const timetable = parseDelayedTimetable(cronJob, getScheduleAnchor(cronJob));
  if (isSuspendedAt(spec, now) || status?.paused !== undefined || timetable.kind === 'invalid') return [];
  const floor = computeSlotFloor(cronJob, timetable, now);
  const slots: Date[] = [];
  let slot = timetable.schedule.previous(timetable.startedThrough(now));
  while (slot !== undefined && isAfter(slot, floor) && slots.length < limit) {
    slots.push(slot);
    slot = timetable.schedule.previous(toSecondBefore(slot));
  }
  return slots.toReversed();
}

function getScheduleAnchor(cronJob: WaitingCronJob): Date {
  return getScheduleStart(cronJob) ?? new Date(0);
}

/** Returns the time up to which slots are handled or have missed their deadline. */
function computeSlotFloor(
  cronJob: WaitingCronJob,
  { startedThrough }: Pick<DelayedTimetable, 'startedThrough'>,
  now: Date,
): Date {
  const { spec, status } = cronJob;
  const { startingDeadlineSeconds: deadlineSeconds = MAX_SPAN_SECONDS } = spec;
  const suspensionEnd = parseTime(spec.suspendUntil);
  return findLatest(
    getScheduleAnchor(cronJob),
    parseTime(status?.lastScheduleTime),
    parseTime(status?.handledThrough),
    suspensionEnd && new Date(suspensionEnd.getTime() - 1),
    deadlineSeconds < MAX_SPAN_SECONDS ? startedThrough(new Date(now.getTime() - deadlineSeconds * 1000)) : undefined,
  );
}
