/** Rules for the condition Degraded. */
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { getDeadlineMs, hasEnded, isSameInstant, latest, nextAfter, parseInstant } from './facts.ts';
import { hasGivenUpMissed, type ObservedStatusWrite } from './handled-rules.ts';
import type { DelayedSlots } from './jitter.ts';

/** Status and reason, as one word each; more than one where only the server knows its response. */
export function listAllowedDegraded(write: ObservedStatusWrite): readonly string[] {
  const { base, ledger, now } = write;
  const invalid = ledger.getInvalidReason(base, now);
  if (invalid !== undefined) return [`True ${invalid}`];
  const schedule = ledger.getSlots(base, now);
  const isOver = hasEnded(base.spec, now) || isPastLastSlot(write, schedule);
  // The search is limited to some years after its start.
  const starts = [now, nextAfter(base, now)];
  const neverFires = getDeadlineMs(base) === 0 || starts.every((start) => schedule?.next(start) === undefined);
  if (neverFires && !isOver && !base.spec.suspend) return ['True NeverFires'];

  if (isAhead(write)) {
    write.reportEffect('clock skew shown');
    return ['True ClockSkew'];
  }
  return listAllowedAfterStart(write, getLastRunState(write));
}

/** The last slot before the end has passed, so the schedule has fired. */
function isPastLastSlot({ base, ledger, now }: ObservedStatusWrite, schedule: DelayedSlots | undefined): boolean {
  if (base.spec.endTime === undefined || getDeadlineMs(base) === 0) return false;
  return schedule?.next(now) === undefined && latest(schedule?.previous(now)) > ledger.getExpectedSince(base, now);
}

/** @param lastRunState The value when every start succeeded. */
function listAllowedAfterStart(write: ObservedStatusWrite, lastRunState: string): readonly string[] {
  const { base, observed } = write;
  if (observed.created !== undefined) return [lastRunState];
  if (observed.refusedCreates > 0) return ['True FailedCreate'];
  const before = base.status?.conditions?.find(({ type }) => type === 'Degraded')?.reason;
  const isNew = hasFoundRun(write);
  if (!isNew && base.status?.failedStart) return ['True FailedCreate'];
  // A reason that another one hid may show again.
  if (before === 'ClockSkew') return [lastRunState, 'True FailedCreate', 'True TooManyMissedTimes'];
  const isMissing = (before === 'TooManyMissedTimes' && !isNew) || hasGivenUp(write);
  const other = isMissing ? 'True TooManyMissedTimes' : lastRunState;
  // A taken name, and a run that cannot be deleted for its replacement, are failed creates too.
  return observed.creates > 0 || observed.failedCalls > 0 || observed.isBackingOff
    ? [other, 'True FailedCreate']
    : [other];
}

const TOLERATED_SKEW_MS = 60_000;

/** A time in the status is ahead of the clock. */
function isAhead({ status, now }: ObservedStatusWrite): boolean {
  const { lastScheduleTime, handledThrough, lastSuccessfulTime, lastFailureTime, effectiveSchedule, recentRuns } =
    status;
  const times = [lastScheduleTime, handledThrough, lastSuccessfulTime, lastFailureTime, effectiveSchedule?.since];
  const newestRun = parseRecentRun(recentRuns?.[0] ?? '')?.createdTime;
  return latest(newestRun, ...times.map(parseInstant)).getTime() > now.getTime() + TOLERATED_SKEW_MS;
}

/** The reconcile has found a run that no status reported. */
function hasFoundRun({ base, status }: ObservedStatusWrite): boolean {
  const isSlotNew = status.lastScheduleTime !== base.status?.lastScheduleTime;
  return isSlotNew || status.lastManualRun !== base.status?.lastManualRun;
}

/** More than 100 slots were given up, and not because they were suspended. */
function hasGivenUp(write: ObservedStatusWrite): boolean {
  const { base, status, ledger, now } = write;
  const schedule = ledger.getSlots(base, now);
  const before = parseInstant(base.status?.handledThrough);
  const after = parseInstant(status.handledThrough);
  const wasSuspended = base.status?.conditions?.some(({ reason }) => reason === 'Suspended') === true;
  const isOver = ledger.suspendUntilAtWrite !== undefined && ledger.suspendUntilAtWrite === base.spec.suspendUntil;
  const isResuming = wasSuspended && !isOver;
  if (schedule === undefined || after === undefined || isSameInstant(before, after) || isResuming) return false;
  if (base.status?.paused && !status.paused) return false;
  return hasGivenUpMissed(write, schedule);
}

function getLastRunState({ status }: ObservedStatusWrite): string {
  const { lastFailureTime, lastSuccessfulTime } = status;
  const isUndatedFailure = status.lastRun?.result === 'Failed' && status.lastRun.completionTime === undefined;
  const hasFailed = isUndatedFailure || (lastFailureTime !== undefined && lastFailureTime > (lastSuccessfulTime ?? ''));
  return hasFailed ? 'True LastRunFailed' : 'False AsExpected';
}
