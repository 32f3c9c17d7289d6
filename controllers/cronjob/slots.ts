/** Computes the due slots and the next slot. A slot is a scheduled time of the current schedule. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter, latest, parseTime, toWholeSeconds } from '../../api/time.ts';
import { DEFAULT_TIME_ZONE, MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { findLastScheduleEdit } from '../../api/v1/field-edits.ts';
import type { ParsedSchedule } from '../../api/v1/schedule.ts';
import { isSuspendedAt } from '../../api/v1/suspension.ts';
import { parseTakeOver } from '../../api/v1/take-over.ts';
import { findUnmetSlots, type UnmetSlots } from '../../api/v1/unmet-slots.ts';

/** The schedule of a CronJob and when it took effect, as `status.effectiveSchedule` records it. */
export interface EffectiveSchedule {
  readonly schedule: string;
  readonly timeZone: string;
  /** Whole seconds. Slots at or before this time never run. */
  readonly since: Date;
}

/**
 * An edit of the schedule or its zone makes earlier slots void, so the edit never starts a run. It takes effect at the time that the
 * API server recorded for the edit, because a slot between the edit and the pass is due.
 */
export function computeEffectiveSchedule(cronJob: CronJob, now: Date): EffectiveSchedule {
  const { metadata, spec, status } = cronJob;
  const current = { schedule: spec.schedule, timeZone: spec.timeZone ?? DEFAULT_TIME_ZONE };
  const stored = status?.effectiveSchedule;
  const storedSince = parseTime(stored?.since);
  const isEdited = stored?.schedule !== current.schedule || stored.timeZone !== current.timeZone;
  if (storedSince !== undefined && !isEdited) return { ...current, since: storedSince };

  const takenOver = stored === undefined ? takenOverFrom(cronJob) : undefined;
  if (takenOver !== undefined) return { ...current, since: takenOver };

  const earliest = storedSince ?? parseTime(metadata.creationTimestamp) ?? toWholeSeconds(now);
  const recorded = isZoneRemoved(spec, stored) ? now : findLastScheduleEdit(cronJob);
  const editedAt = recorded ?? (storedSince === undefined ? earliest : now);
  // The clock of the API server may be ahead. The stored time never moves back.
  return { ...current, since: latest(earliest, toWholeSeconds(editedAt > now ? now : editedAt)) };
}

/**
 * Returns the time from which a CronJob takes over the slots of the CronJob that it replaces. That time is before its creation. If
 * a user has edited the schedule since the creation, the edit counts instead.
 */
function takenOverFrom(cronJob: CronJob): Date | undefined {
  const created = parseTime(cronJob.metadata.creationTimestamp);
  const takeOver = created === undefined ? undefined : parseTakeOver(cronJob.metadata, created);
  if (created === undefined || takeOver?.kind !== 'takenOver') return undefined;
  const editedAt = findLastScheduleEdit(cronJob);
  return editedAt !== undefined && isAfter(editedAt, created) ? undefined : takeOver.from;
}

/** The API server removes the zone from `managedFields` without recording a time, so the time of this edit is unknown. */
function isZoneRemoved(spec: CronJobSpec, stored: CronJobStatus['effectiveSchedule']): boolean {
  return spec.timeZone === undefined && stored !== undefined && stored.timeZone !== DEFAULT_TIME_ZONE;
}

/** 300 years. A longer deadline counts as absent, because its end would exceed the range of a Date. */
const MAX_DEADLINE_SECONDS = 300 * 366 * 86_400;

/** Returns `startingDeadlineSeconds` in milliseconds, at least 0. */
export function deadlineMs({ startingDeadlineSeconds: seconds }: CronJobSpec): number | undefined {
  return seconds === undefined || seconds > MAX_DEADLINE_SECONDS ? undefined : Math.max(0, seconds) * 1000;
}

/** The slots after the floor. Only the newest unmet slot starts. */
export interface DueSlots {
  /** Slots whose deadline has not passed. */
  readonly unmet: UnmetSlots;
  /** Slots whose deadline has passed. */
  readonly expired: UnmetSlots;
  /** Slots before a `suspendUntil` that has passed. Absent if the floor is later. */
  readonly suspended?: UnmetSlots;
}

const NONE: UnmetSlots = { count: 0 };
export const NOTHING_DUE: DueSlots = { unmet: NONE, expired: NONE };

/** Returns `suspendUntil` if that time has passed. */
export function passedSuspendUntil({ suspendUntil }: CronJobSpec, now: Date): Date | undefined {
  const until = parseTime(suspendUntil);
  return until === undefined || isAfter(until, now) ? undefined : until;
}

/** Returns the time up to which slots are void because of a `suspendUntil` that has passed. */
export function suspendedThrough(spec: CronJobSpec, now: Date): Date | undefined {
  const until = passedSuspendUntil(spec, now);
  return until && justBefore(until);
}

/** A slot at `until` may start. */
function justBefore(until: Date): Date {
  return new Date(until.getTime() - 1);
}

/** Returns the slots in (floor, now]. Counts are exact up to {@link MAX_MISSED_SLOTS} + 1. */
export function dueSlots(
  parsed: ParsedSchedule,
  floor: Date,
  { spec, now }: { readonly spec: CronJobSpec; readonly now: Date },
): DueSlots {
  const deadline = deadlineMs(spec);
  if (parsed.kind === 'invalid' || isSuspendedAt(spec, now) || deadline === 0) return NOTHING_DUE;
  const { schedule } = parsed;
  const through = suspendedThrough(spec, now);
  if (through === undefined || !isAfter(through, floor)) return dueAbove(schedule, floor, { deadline, now });
  return {
    ...dueAbove(schedule, through, { deadline, now }),
    suspended: slotsIn(schedule, floor, through),
  };
}

function dueAbove(
  schedule: Schedule,
  floor: Date,
  { deadline, now }: { readonly deadline: number | undefined; readonly now: Date },
): DueSlots {
  const tooLate = deadline === undefined ? floor : new Date(now.getTime() - deadline);
  if (tooLate <= floor) return { unmet: slotsIn(schedule, floor, now), expired: NONE };
  return { unmet: slotsIn(schedule, tooLate, now), expired: slotsIn(schedule, floor, tooLate) };
}

function slotsIn(schedule: Schedule, after: Date, until: Date): UnmetSlots {
  return findUnmetSlots(schedule, after, until, MAX_MISSED_SLOTS + 1);
}

/** Returns the first slot after a time, or `undefined` if no slot will start while the CronJob stays as it is. */
export function nextSlot({ metadata, spec }: CronJob, parsed: ParsedSchedule, after: Date): Date | undefined {
  const isStopped = metadata.deletionTimestamp !== undefined || spec.suspend || deadlineMs(spec) === 0;
  if (isStopped || parsed.kind === 'invalid') return undefined;
  const until = parseTime(spec.suspendUntil);
  const next = parsed.schedule.next(latest(after, until && justBefore(until)));
  return next === undefined || next > LAST_TIME ? undefined : next;
}

/** Years in API times have four digits. */
const LAST_TIME = new Date('9999-12-31T23:59:59Z');
