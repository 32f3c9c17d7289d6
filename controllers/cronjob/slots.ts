/** Slots, the scheduled times of the current schedule: from when they count, which of them are due, and which comes next. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter, latest, parseTime, wholeSeconds } from '../../api/time.ts';
import { DEFAULT_TIME_ZONE, MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { lastScheduleEdit } from '../../api/v1/field-edits.ts';
import type { ParsedSchedule } from '../../api/v1/schedule.ts';
import { isSuspendedAt } from '../../api/v1/suspension.ts';
import { parseTakeOver } from '../../api/v1/take-over.ts';
import { type UnmetSlots, unmetSlots } from '../../api/v1/unmet-slots.ts';

/** The current schedule, and when it took effect: `status.effectiveSchedule`. */
export interface EffectiveSchedule {
  readonly schedule: string;
  readonly timeZone: string;
  /** Slots at or before this time never run: they belong to an earlier schedule or to no schedule. Whole seconds. */
  readonly since: Date;
}

/**
 * An edit of the schedule or its zone makes older slots void, so that the edit never starts a run by itself. It applies from the
 * time that the API server recorded for it, not from the pass that reads it: a slot in between is due. The removal of a zone
 * applies from the pass, see {@link isZoneRemoved}.
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

  const earliest = storedSince ?? parseTime(metadata.creationTimestamp) ?? wholeSeconds(now);
  const recorded = isZoneRemoved(spec, stored) ? now : lastScheduleEdit(cronJob);
  const editedAt = recorded ?? (storedSince === undefined ? earliest : now);
  // The API server's clock may be ahead of ours. The time in the stored status never moves back.
  return { ...current, since: latest(earliest, wholeSeconds(editedAt > now ? now : editedAt)) };
}

/**
 * Where a CronJob that replaces another CronJob begins: at the end of the other one, before its own creation. An edit of the
 * schedule since then makes those slots void too. The creation, which `managedFields` records as well, does not count as an edit.
 */
function takenOverFrom(cronJob: CronJob): Date | undefined {
  const created = parseTime(cronJob.metadata.creationTimestamp);
  const takeOver = created === undefined ? undefined : parseTakeOver(cronJob.metadata, created);
  if (created === undefined || takeOver?.kind !== 'takenOver') return undefined;
  const editedAt = lastScheduleEdit(cronJob);
  return editedAt !== undefined && isAfter(editedAt, created) ? undefined : takeOver.from;
}

/**
 * Whether an edit removed the zone. The API server then removes the field from `managedFields` and changes no time there, so the
 * times of the entries are older than the edit.
 */
function isZoneRemoved(spec: CronJobSpec, stored: CronJobStatus['effectiveSchedule']): boolean {
  return spec.timeZone === undefined && stored !== undefined && stored.timeZone !== DEFAULT_TIME_ZONE;
}

/** 300 years. A longer deadline counts as none, because a Date could not hold its end. */
const MAX_DEADLINE_SECONDS = 300 * 366 * 86_400;

/** `startingDeadlineSeconds` in milliseconds, never negative; `undefined` when there is no deadline. */
export function deadlineMs({ startingDeadlineSeconds: seconds }: CronJobSpec): number | undefined {
  return seconds === undefined || seconds > MAX_DEADLINE_SECONDS ? undefined : Math.max(0, seconds) * 1000;
}

/** The slots above the floor without a run. Only the newest slot that may still start does so. */
export interface DueSlots {
  /** Slots that may still start. */
  readonly unmet: UnmetSlots;
  /** Slots whose deadline has passed. */
  readonly expired: UnmetSlots;
  /** Slots before `suspendUntil`, which has passed. Absent when the floor is later. */
  readonly suspended?: UnmetSlots;
}

const NONE: UnmetSlots = { count: 0 };
export const NOTHING_DUE: DueSlots = { unmet: NONE, expired: NONE };

/** `suspendUntil` if it has passed. */
export function passedSuspendUntil({ suspendUntil }: CronJobSpec, now: Date): Date | undefined {
  const until = parseTime(suspendUntil);
  return until === undefined || isAfter(until, now) ? undefined : until;
}

/** Slots up to this time are void, because of a `suspendUntil` that has passed. */
export function suspendedThrough(spec: CronJobSpec, now: Date): Date | undefined {
  const until = passedSuspendUntil(spec, now);
  return until && justBefore(until);
}

/** A slot at `until` may start. */
function justBefore(until: Date): Date {
  return new Date(until.getTime() - 1);
}

/**
 * The slots in (floor, now], by whether their deadline has passed. Counts are exact up to {@link MAX_MISSED_SLOTS} + 1. Nothing is due
 * while suspended, with a schedule that cannot be parsed, or with a deadline of 0.
 */
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
  return unmetSlots(schedule, after, until, MAX_MISSED_SLOTS + 1);
}

/**
 * The first slot after a time; `undefined` when no run will start unless the CronJob changes. With a deadline of 0, every run is
 * too late.
 */
export function nextSlot({ metadata, spec }: CronJob, parsed: ParsedSchedule, after: Date): Date | undefined {
  const isStopped = metadata.deletionTimestamp !== undefined || spec.suspend || deadlineMs(spec) === 0;
  if (isStopped || parsed.kind === 'invalid') return undefined;
  const until = parseTime(spec.suspendUntil);
  const next = parsed.schedule.next(latest(after, until && justBefore(until)));
  return next === undefined || next > LAST_TIME ? undefined : next;
}

/** Years in API times have four digits. */
const LAST_TIME = new Date('9999-12-31T23:59:59Z');
