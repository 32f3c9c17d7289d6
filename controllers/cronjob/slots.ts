/** Computes the due slots and the next slot. A slot is a scheduled time of the current schedule. */
import { isSameJson } from 'controller-runtime/schema';
import type { Timetable } from 'kubernetes-cron-schedule';
import { findLatest, isAfter, parseTime, toWholeSeconds } from '../../api/time.ts';
import { getCatchUpLimit } from '../../api/v1/concurrency.ts';
import { DEFAULT_TIME_ZONE, MAX_MISSED_SLOTS, MAX_SPAN_SECONDS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { DelayedTimetable } from '../../api/v1/delayed-timetable.ts';
import { findLastScheduleEdit } from '../../api/v1/field-edits.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import { isSuspendedAt } from '../../api/v1/suspension.ts';
import { parseTakeOverAnnotation } from '../../api/v1/take-over.ts';
import { type ParsedTimetable, pickScheduleFields, type ValidTimetable } from '../../api/v1/timetable.ts';
import { findUnmetSlots, toSecondBefore, type UnmetSlots } from '../../api/v1/unmet-slots.ts';
import { isBeingDeleted } from './job.ts';

type StoredSchedule = NonNullable<CronJobStatus['effectiveSchedule']>;

/** The schedule of a CronJob and the time at which it took effect, as in `status.effectiveSchedule`. */
export type EffectiveSchedule = Omit<StoredSchedule, 'since'> & {
  /** Whole seconds. No run starts for a slot at or before this time. */
  readonly since: Date;
};

/**
 * After an edit of the schedule, no run starts for an earlier slot, so an edit never starts a run. The edit takes effect at the
 * time that the API server recorded for the edit, because a slot between the edit and the reconcile is due.
 */
export function computeEffectiveSchedule(cronJob: CronJob, now: Date): EffectiveSchedule {
  const { metadata, spec, status } = cronJob;
  const current = pickScheduleFields(spec);
  const stored = status?.effectiveSchedule;
  const storedSince = parseTime(stored?.since);
  if (stored !== undefined && storedSince !== undefined && hasSameFields(current, stored)) {
    return { ...current, since: storedSince };
  }

  const takeOverTime = stored === undefined ? getTakeOverTime(cronJob) : undefined;
  if (takeOverTime !== undefined) return { ...current, since: takeOverTime };

  const earliest = storedSince ?? parseTime(metadata.creationTimestamp) ?? toWholeSeconds(now);
  const editTime = isFieldRemoved(spec, stored) ? now : findLastScheduleEdit(cronJob);
  const editedAt = editTime ?? (storedSince === undefined ? earliest : now);
  // The clock of the API server may be ahead. The stored time never moves back.
  return { ...current, since: findLatest(earliest, toWholeSeconds(editedAt > now ? now : editedAt)) };
}

/** Compares texts first, because every reconcile compares the schedules and most CronJobs have only texts. */
function hasSameFields(currentFields: Omit<StoredSchedule, 'since'>, storedSchedule: StoredSchedule): boolean {
  const names = Object.keys(currentFields) as (keyof typeof currentFields)[];
  return (
    Object.keys(storedSchedule).length === names.length + 1 &&
    names.every(
      (name) => currentFields[name] === storedSchedule[name] || isSameJson(currentFields[name], storedSchedule[name]),
    )
  );
}

/**
 * Returns the time from which a CronJob takes over the slots of the CronJob that it replaces. That time is before the creation of
 * the new CronJob. Returns `undefined` if a user has edited the schedule since the creation, because only the edit matters then.
 */
function getTakeOverTime(cronJob: CronJob): Date | undefined {
  const creationTime = parseTime(cronJob.metadata.creationTimestamp);
  const takeOver = creationTime === undefined ? undefined : parseTakeOverAnnotation(cronJob.metadata, creationTime);
  if (creationTime === undefined || takeOver?.kind !== 'takenOver') return undefined;
  const editedAt = findLastScheduleEdit(cronJob);
  return editedAt !== undefined && isAfter(editedAt, creationTime) ? undefined : takeOver.from;
}

/** The API server removes a field from `managedFields` without recording a time, so the time of such an edit is unknown. */
function isFieldRemoved(spec: CronJobSpec, storedSchedule: StoredSchedule | undefined): boolean {
  if (storedSchedule === undefined) return false;
  const { since: _, timeZone, ...fields } = storedSchedule;
  const isZoneRemoved = spec.timeZone === undefined && timeZone !== DEFAULT_TIME_ZONE;
  return isZoneRemoved || Object.keys(fields).some((name) => spec[name as keyof CronJobSpec] === undefined);
}

/** Returns `startingDeadlineSeconds` in milliseconds, at least 0. */
export function getDeadlineMs({ startingDeadlineSeconds: seconds }: CronJobSpec): number | undefined {
  return seconds === undefined || seconds > MAX_SPAN_SECONDS ? undefined : Math.max(0, seconds) * 1000;
}

/** The scheduled times that the status does not record as handled yet, by state. */
export interface DueSlots {
  /** The slot whose run starts next. Absent if no slot needs a run. */
  readonly slot?: Date;
  /** The newest slot before `slot` that has no run. No run starts for the slots up to `dropped`. */
  readonly dropped?: Date;
  /** Slots whose deadline has not passed. */
  readonly unmet: UnmetSlots;
  /** Slots whose deadline has passed. */
  readonly expired: UnmetSlots;
  /** Slots before a `suspendUntil` that has passed. Absent if the floor is later. */
  readonly suspended?: UnmetSlots;
  /** The newest slot that `exclude` covers. */
  readonly excluded?: Date;
}

const NO_SLOTS: UnmetSlots = { count: 0 };
/** The due slots of a CronJob that starts no run until it changes. */
export const NOTHING_DUE: DueSlots = { unmet: NO_SLOTS, expired: NO_SLOTS };

/** Whether a slot after `slot` is unmet. */
export function hasLaterSlot({ unmet: { newest } }: DueSlots, slot: Date | undefined): boolean {
  return newest !== undefined && (slot === undefined || isAfter(newest, slot));
}

/** Returns the reason of a slot for which no run starts because later slots are due. */
export function getDroppedReason(spec: CronJobSpec): SkipReason {
  if (spec.concurrencyPolicy === 'Queue') return 'QueueFull';
  return getCatchUpLimit(spec) === undefined ? 'Superseded' : 'TooManyMissedTimes';
}

/** Returns `suspendUntil` if that time has passed. */
export function findPassedSuspendUntil({ suspendUntil }: CronJobSpec, now: Date): Date | undefined {
  const until = parseTime(suspendUntil);
  return until === undefined || isAfter(until, now) ? undefined : until;
}

/** Returns the time up to which slots have no runs because of a `suspendUntil` that has passed. */
export function findLastSuspendedTime(spec: CronJobSpec, now: Date): Date | undefined {
  const until = findPassedSuspendUntil(spec, now);
  return until && toMillisecondBefore(until);
}

/** The run of a slot at `until` may start. */
function toMillisecondBefore(until: Date): Date {
  return new Date(until.getTime() - 1);
}

interface DueOptions {
  readonly spec: CronJobSpec;
  readonly now: Date;
  /** Whether the slots are due because a user has set `suspend` to false. Only the run of the newest slot starts. */
  readonly isResuming: boolean;
}

/** Returns the slots after `floor` whose runs are due. Counts are exact up to {@link MAX_MISSED_SLOTS} + 1. */
export function findDueSlots(
  timetable: DelayedTimetable,
  floor: Date,
  { spec, now, isResuming }: DueOptions,
): DueSlots {
  const deadline = getDeadlineMs(spec);
  if (timetable.kind === 'invalid' || isSuspendedAt(spec, now) || deadline === 0) return NOTHING_DUE;
  const { schedule } = timetable;
  const lastSuspendedTime = findLastSuspendedTime(spec, now);
  const until = timetable.startedThrough(now);
  const newestTooLate =
    deadline === undefined ? undefined : timetable.startedThrough(new Date(now.getTime() - deadline));
  // A slot that is void or handled does not hold back the excluded slots that come during its delay.
  const isNoneWaiting = isAfter(findLatest(floor, lastSuspendedTime), until);
  const excludedSlot = findNewestExcludedSlot(timetable, floor, isNoneWaiting ? now : until);
  const excludedField = excludedSlot === undefined ? {} : { excluded: excludedSlot };
  const span = { newestTooLate, until, limit: (isResuming ? undefined : getCatchUpLimit(spec)) ?? 1 };
  if (lastSuspendedTime === undefined || !isAfter(lastSuspendedTime, floor))
    return { ...findDueSlotsAfter(schedule, floor, span), ...excludedField };
  return {
    ...findDueSlotsAfter(schedule, lastSuspendedTime, span),
    suspended: findSlotsBetween(schedule, floor, lastSuspendedTime),
    ...excludedField,
  };
}

/** Checks only the newest slot, because a reconcile follows each slot. */
function findNewestExcludedSlot({ exclusions }: ValidTimetable, floor: Date, now: Date): Date | undefined {
  const slot = exclusions?.fullTimetable.previous(now);
  return slot !== undefined && isAfter(slot, floor) && exclusions?.find(slot) ? slot : undefined;
}

interface DueSpan {
  readonly newestTooLate: Date | undefined;
  readonly until: Date;
  /** The maximum number of missed runs that start. */
  readonly limit: number;
}

function findDueSlotsAfter(schedule: Timetable, floor: Date, { newestTooLate, until, limit }: DueSpan): DueSlots {
  const isPastDeadline = newestTooLate !== undefined && newestTooLate > floor;
  const after = isPastDeadline ? newestTooLate : floor;
  const unmet = findSlotsBetween(schedule, after, until);
  const expired = isPastDeadline ? findSlotsBetween(schedule, floor, newestTooLate) : NO_SLOTS;
  return { unmet, expired, ...pickSlotToStart(schedule, unmet, { after, limit }) };
}

function pickSlotToStart(
  schedule: Timetable,
  { newest, oldest, count }: UnmetSlots,
  { after, limit }: { readonly after: Date; readonly limit: number },
): Pick<DueSlots, 'slot' | 'dropped'> {
  if (newest === undefined || oldest === undefined) return {};
  if (count <= Math.min(limit, MAX_MISSED_SLOTS)) return { slot: oldest };
  let slot = newest;
  for (let slotCount = 1; ; slotCount++) {
    const { newest: earlierSlot } = findUnmetSlots(schedule, after, toSecondBefore(slot), 1);
    if (earlierSlot === undefined) return { slot };
    if (slotCount === limit) return { slot, dropped: earlierSlot };
    slot = earlierSlot;
  }
}

function findSlotsBetween(schedule: Timetable, after: Date, until: Date): UnmetSlots {
  return findUnmetSlots(schedule, after, until, MAX_MISSED_SLOTS + 1);
}

/** Returns the first slot after a time, or `undefined` if no run will start until the CronJob changes. */
export function findNextSlot(cronJob: CronJob, timetable: ParsedTimetable, after: Date): Date | undefined {
  const { spec } = cronJob;
  if (isBeingDeleted(cronJob) || spec.suspend || getDeadlineMs(spec) === 0 || timetable.kind === 'invalid')
    return undefined;
  const until = parseTime(spec.suspendUntil);
  const next = timetable.schedule.next(findLatest(after, until && toMillisecondBefore(until)));
  return next === undefined || next > LAST_API_TIME ? undefined : next;
}

/** Years in API times have four digits. */
const LAST_API_TIME = new Date('9999-12-31T23:59:59Z');
