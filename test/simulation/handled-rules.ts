/** The slots that a status may record as settled. */
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import type { Effect } from './effects.ts';
import {
  getCatchUpLimit,
  getDeadlineMs,
  getEnding,
  getRunLimit,
  isBlocking,
  isSameInstant,
  latest,
  MAX_MISSED,
  parseInstant,
  showsSuspension,
  truncateToSeconds,
  voidThrough,
} from './facts.ts';
import type { DelayedSlots } from './jitter.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

/** A status that replaces another. */
export interface ObservedStatusWrite {
  /** The CronJob before the write. The reconcile saw the same version, otherwise the server would have refused the write. */
  readonly base: CronJob;
  readonly status: CronJobStatus;
  readonly observed: ObservedReconcile;
  readonly ledger: Ledger;
  readonly now: Date;
  /** Reports an event that must happen in at least one of the years. */
  readonly reportEffect: (effect: Effect) => void;
  /** Whether another owner has, or had, a Job of that name. */
  readonly isForeignName: (jobName: string) => boolean;
}

/** The broken rules, when `checkHandledThrough` has changed. */
export function checkHandledThrough(write: ObservedStatusWrite, schedule: DelayedSlots | undefined): readonly string[] {
  const { base, status, now } = write;
  const before = parseInstant(base.status?.handledThrough);
  const after = parseInstant(status.handledThrough);
  if (after === undefined || isSameInstant(before, after)) return [];
  const isResuming = base.status?.paused !== undefined && status.paused === undefined;
  if (isResuming && after <= now) return [];
  if (schedule === undefined) return ['handledThrough stays while the schedule is invalid'];
  const move = { schedule, floor: getFloor(write), after };
  const isHarmless = after <= move.floor;
  const reasons = [
    ...[isHarmless, isTooManyMissed, isExpired, isPassedOver, isJobNameTaken, isExcluded],
    ...[isDropped, isSkipped, isAbandoned],
  ];
  const isJustified = reasons.some((reason) => (typeof reason === 'boolean' ? reason : reason(write, move)));
  return isJustified ? [] : ['handledThrough moves only past handled slots'];
}

interface HandledMove {
  readonly schedule: DelayedSlots;
  /** Slots up to this time were settled in any case. */
  readonly floor: Date;
  readonly after: Date;
}

/** Slots up to this time were settled before the reconcile, or have run. */
function getFloor({ base, status, ledger, now }: ObservedStatusWrite): Date {
  const before = parseInstant(base.status?.handledThrough);
  const hasRun = parseInstant(status.lastScheduleTime);
  return latest(ledger.getExpectedSince(base, now), before, hasRun, voidThrough(base, now));
}

/** Whether the manager has given up more than 100 missed slots. */
export function hasGivenUpMissed(write: ObservedStatusWrite, schedule: DelayedSlots): boolean {
  const after = parseInstant(write.status.handledThrough);
  return after !== undefined && isTooManyMissed(write, { schedule, floor: getFloor(write), after });
}

/** More than 100 slots were missed, so the manager catches up no slot. */
function isTooManyMissed({ base, now }: ObservedStatusWrite, { schedule, floor, after }: HandledMove): boolean {
  const deadlineMs = getDeadlineMs(base);
  const dueTime = deadlineMs === undefined ? floor : schedule.startedThrough(new Date(now.getTime() - deadlineMs));
  const through = schedule.startedThrough(now);
  const isNow = isSameInstant(after, truncateToSeconds(through));
  const catchesUp = getCatchUpLimit(base) !== undefined && !showsSuspension(base.status);
  return (
    !catchesUp &&
    isNow &&
    schedule.between(latest(floor, dueTime), through, { limit: MAX_MISSED + 1 }).length > MAX_MISSED
  );
}

/** It is the newest slot whose deadline has passed. */
function isExpired({ base, now }: ObservedStatusWrite, { schedule, after }: HandledMove): boolean {
  const deadlineMs = getDeadlineMs(base);
  if (deadlineMs === undefined) return false;
  const lateTime = schedule.startedThrough(new Date(now.getTime() - deadlineMs));
  return isSameInstant(schedule.previous(lateTime), after);
}

/** It is the slot before the newest one, which waits: for active runs under Forbid, or for the retry of a failed start. */
function isPassedOver(write: ObservedStatusWrite, { schedule, after }: HandledMove): boolean {
  const { base, now } = write;
  if (getCatchUpLimit(base) !== undefined && !showsSuspension(base.status)) return false;
  const waiting = schedule.previous(schedule.startedThrough(now));
  const before = waiting && schedule.previous(new Date(waiting.getTime() - 1000));
  return isSameInstant(before, after) && (isBlocked(write) || hasFailedToStart(write));
}

export function hasFailedToStart({ observed }: ObservedStatusWrite): boolean {
  return observed.created === undefined && (observed.creates > 0 || observed.failedCalls > 0 || observed.isBackingOff);
}

/** Whether so many runs were active that none started. A cached Job may be active although the status records its end. */
export function isBlocked({ base, status, observed }: ObservedStatusWrite): boolean {
  const blockingJobs = [...observed.jobs.values()].filter((job) => isBlocking(job, base));
  const blockingUids = new Set(
    [...(status.active ?? []), ...blockingJobs.map(({ metadata }) => metadata)].map(({ uid }) => uid),
  );
  return blockingUids.size >= getRunLimit(base);
}

/** It is the newest slot, and the name of its Job belongs to another owner. */
function isJobNameTaken({ base, now, isForeignName }: ObservedStatusWrite, { schedule, after }: HandledMove): boolean {
  const name = `${base.metadata.name}-${after.getTime() / 1000}`;
  const isOldest = getCatchUpLimit(base) !== undefined && isSameInstant(schedule.previous(after), after);
  return (isOldest || isSameInstant(schedule.previous(schedule.startedThrough(now)), after)) && isForeignName(name);
}

/** As many slots are newer as may start late. */
function isDropped({ base, now }: ObservedStatusWrite, { schedule, after }: HandledMove): boolean {
  const limit = getCatchUpLimit(base);
  return (
    limit !== undefined && schedule.between(after, schedule.startedThrough(now), { limit: limit + 1 }).length === limit
  );
}

/** Under Skip, it is the newest slot while a run is active, or it came while a run was active. */
function isSkipped(write: ObservedStatusWrite, { schedule, after }: HandledMove): boolean {
  const { base, now } = write;
  const through = schedule.startedThrough(now);
  const isNewest = [schedule, schedule.all].some((slots) => isSameInstant(slots.previous(through), after));
  const cameDuringRun = wasRunActiveAt(schedule.startOf(after), write.status, write.observed);
  return base.spec.concurrencyPolicy === 'Skip' && ((isNewest && isBlocked(write)) || cameDuringRun);
}

/** Whether a run was active that has ended since, as far as the reconcile knew. */
export function wasRunActiveAt(time: Date, status: CronJobStatus | undefined, { jobs }: ObservedReconcile): boolean {
  const ofJobs = [...jobs.values()].map((job) => {
    const ending = getEnding(job);
    return [
      parseInstant(job.metadata.creationTimestamp),
      ending.kind === 'Active' ? undefined : parseInstant(ending.at),
    ];
  });
  const listed = (status?.recentRuns ?? []).map(parseRecentRun).map((run) => [run?.createdTime, run?.completionTime]);
  return [...ofJobs, ...listed].some(([start, end]) => start && end && start < time && end > time);
}

const MAX_REFUSED_MS = 3_600_000;

function isAbandoned(write: ObservedStatusWrite, { after }: HandledMove): boolean {
  return isAbandonedSlot(write, after);
}

/** It has no deadline, the API server has refused it for an hour, and other slots wait for it. */
export function isAbandonedSlot({ base, now }: ObservedStatusWrite, slot: Date): boolean {
  const { failedStart } = base.status ?? {};
  const since = parseInstant(failedStart?.since);
  const isRefused = failedStart?.jobName === `${base.metadata.name}-${slot.getTime() / 1000}`;
  if (!isRefused || getDeadlineMs(base) !== undefined || getCatchUpLimit(base) === undefined) return false;
  return since !== undefined && now.getTime() - since.getTime() >= MAX_REFUSED_MS;
}

/** It is the newest slot, and excluded. A slot that was settled before does not hold back excluded slots during its delay. */
function isExcluded({ now }: ObservedStatusWrite, { schedule, floor, after }: HandledMove): boolean {
  const newest = schedule.previous(now);
  const through = newest === undefined || newest <= floor ? now : schedule.startedThrough(now);
  return isSameInstant(schedule.all.previous(through), after) && schedule.isExcluded(after);
}
