/** The slots that a status may record as settled. */
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Slots } from './calendar.ts';
import { deadlineMsOf, instantOf, MOST_MISSED, newest, sameInstant, voidThrough, wholeSeconds } from './facts.ts';
import type { Effect } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';

/** A status that replaces another. */
export interface StatusWrite {
  /** The CronJob before the write. The pass saw the same version, otherwise the server would have refused the write. */
  readonly base: CronJob;
  readonly status: CronJobStatus;
  readonly pass: Pass;
  readonly ledger: Ledger;
  readonly now: Date;
  /** Reports an event that must happen in at least one of the years. */
  readonly note: (effect: Effect) => void;
  /** Whether another owner has, or had, a Job of that name. */
  readonly isNameOfOthers: (jobName: string) => boolean;
}

/** The broken rules, when `handledThrough` has changed. */
export function handledThrough(write: StatusWrite, schedule: Slots | undefined): readonly string[] {
  const { base, status, ledger, now } = write;
  const before = instantOf(base.status?.handledThrough);
  const after = instantOf(status.handledThrough);
  if (after === undefined || sameInstant(before, after)) return [];
  const isResuming = base.status?.paused !== undefined && status.paused === undefined;
  if (isResuming && after <= now) return [];
  if (schedule === undefined) return ['handledThrough rests while no schedule can be read'];
  const until = schedule.previous(voidThrough(base, now));
  const floor = newest(ledger.since(base, now), before, instantOf(status.lastScheduleTime), until);
  const isHarmless = after <= floor;
  const reasons = [isHarmless, isGivenUp, isExpired, isPassedOver, isTaken];
  const isJustified = reasons.some((reason) =>
    typeof reason === 'boolean' ? reason : reason(write, { schedule, floor, after }),
  );
  return isJustified ? [] : ['handledThrough moves only over slots that are settled'];
}

interface Move {
  readonly schedule: Slots;
  /** Slots up to this time were settled in any case. */
  readonly floor: Date;
  readonly after: Date;
}

/** More than 100 slots were missed, so the manager catches up no slot. */
export function isGivenUp({ base, now }: StatusWrite, { schedule, floor, after }: Move): boolean {
  const deadlineMs = deadlineMsOf(base);
  const inTime = deadlineMs === undefined ? floor : newest(floor, new Date(now.getTime() - deadlineMs));
  const isNow = sameInstant(after, wholeSeconds(now));
  return isNow && schedule.between(inTime, now, { limit: MOST_MISSED + 1 }).length > MOST_MISSED;
}

/** It is the newest slot whose deadline has passed. */
function isExpired({ base, now }: StatusWrite, { schedule, after }: Move): boolean {
  const deadlineMs = deadlineMsOf(base);
  return deadlineMs !== undefined && sameInstant(schedule.previous(new Date(now.getTime() - deadlineMs)), after);
}

/** It is the slot before the newest one, which waits: for active runs under Forbid, or for the retry of a failed start. */
function isPassedOver({ base, status, pass, now }: StatusWrite, { schedule, after }: Move): boolean {
  const waiting = schedule.previous(now);
  const before = waiting && schedule.previous(new Date(waiting.getTime() - 1000));
  const isBlocked = base.spec.concurrencyPolicy === 'Forbid' && (status.activeCount ?? 0) > 0;
  const hasFailed = pass.created === undefined && (pass.creates > 0 || pass.failedCalls > 0 || pass.isBackingOff);
  return sameInstant(before, after) && (isBlocked || hasFailed);
}

/** It is the newest slot, and the name of its Job belongs to another owner. */
function isTaken({ base, now, isNameOfOthers }: StatusWrite, { schedule, after }: Move): boolean {
  const name = `${base.metadata.name}-${after.getTime() / 1000}`;
  return sameInstant(schedule.previous(now), after) && isNameOfOthers(name);
}
