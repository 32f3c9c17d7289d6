/** Rules for the condition Degraded. */
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { deadlineMsOf, instantOf, newest, sameInstant, voidThrough } from './facts.ts';
import { isGivenUp, type StatusWrite } from './settled-rules.ts';

/** Status and reason, as one word each; more than one where only the server knows its response. */
export function allowedDegraded(write: StatusWrite): readonly string[] {
  const { base, ledger, now } = write;
  const invalid = ledger.invalidReason(base);
  if (invalid !== undefined) return [`True ${invalid}`];
  const schedule = ledger.schedule(base, now);
  const isNever = deadlineMsOf(base) === 0 || schedule?.next(now) === undefined;
  if (isNever && !base.spec.suspend) return ['True NeverFires'];

  if (isAhead(write)) {
    write.note('clock skew shown');
    return ['True ClockSkew'];
  }
  return afterStart(write, lastRun(write));
}

/** @param last The value when every start succeeded. */
function afterStart(write: StatusWrite, last: string): readonly string[] {
  const { base, pass } = write;
  if (pass.created !== undefined) return [last];
  if (pass.refusedCreates > 0) return ['True FailedCreate'];
  const before = base.status?.conditions?.find(({ type }) => type === 'Degraded')?.reason;
  const isNew = hasFoundRun(write);
  // A reason that another one hid may show again.
  if (before === 'ClockSkew') return [last, 'True FailedCreate', 'True TooManyMissedTimes'];
  // Where the server drops this status field, no record of it is left when the process is gone.
  if (before === 'FailedCreate' && !isNew && base.status?.failedStart) return ['True FailedCreate'];
  const isMissing = (before === 'TooManyMissedTimes' && !isNew) || hasGivenUp(write);
  const rest = isMissing ? 'True TooManyMissedTimes' : last;
  // A taken name, and a run that cannot be deleted for its replacement, are failed creates too.
  return pass.creates > 0 || pass.failedCalls > 0 || pass.isBackingOff ? [rest, 'True FailedCreate'] : [rest];
}

const TOLERATED_SKEW_MS = 60_000;

/** A time in the status is ahead of the clock. */
function isAhead({ status, now }: StatusWrite): boolean {
  const { lastScheduleTime, handledThrough, lastSuccessfulTime, lastFailureTime, effectiveSchedule, recentRuns } =
    status;
  const times = [lastScheduleTime, handledThrough, lastSuccessfulTime, lastFailureTime, effectiveSchedule?.since];
  const newestRun = parseRecentRun(recentRuns?.[0] ?? '')?.createdTime;
  return newest(newestRun, ...times.map(instantOf)).getTime() > now.getTime() + TOLERATED_SKEW_MS;
}

/** The pass has found a run that no status reported. */
function hasFoundRun({ base, status }: StatusWrite): boolean {
  const isSlotNew = status.lastScheduleTime !== base.status?.lastScheduleTime;
  return isSlotNew || status.lastManualRun !== base.status?.lastManualRun;
}

/** More than 100 slots were given up, and not because they were suspended. */
function hasGivenUp(write: StatusWrite): boolean {
  const { base, status, ledger, now } = write;
  const schedule = ledger.schedule(base, now);
  const before = instantOf(base.status?.handledThrough);
  const after = instantOf(status.handledThrough);
  const wasSuspended = base.status?.conditions?.some(({ reason }) => reason === 'Suspended') === true;
  const isOver = ledger.untilAtWrite !== undefined && ledger.untilAtWrite === base.spec.suspendUntil;
  const isResuming = wasSuspended && !isOver;
  if (schedule === undefined || after === undefined || sameInstant(before, after) || isResuming) return false;
  if (base.status?.paused && !status.paused) return false;
  const floor = newest(before, instantOf(status.lastScheduleTime), ledger.since(base, now), voidThrough(base, now));
  return isGivenUp(write, { schedule, floor, after });
}

function lastRun({ status }: StatusWrite): string {
  const { lastFailureTime, lastSuccessfulTime } = status;
  const isUndatedFailure = status.lastRun?.result === 'Failed' && status.lastRun.completionTime === undefined;
  const hasFailed = isUndatedFailure || (lastFailureTime !== undefined && lastFailureTime > (lastSuccessfulTime ?? ''));
  return hasFailed ? 'True LastRunFailed' : 'False AsExpected';
}
