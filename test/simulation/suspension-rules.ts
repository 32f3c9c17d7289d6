/** Rules for the parts of a status about the wait for a success: `suspendUntil`, `expectSuccessWithinSeconds` and the condition Overdue. */
import type { Condition, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import {
  findBrokenRules,
  hasEnded,
  isSameInstant,
  isSuspendedAt,
  latest,
  parseInstant,
  truncateToSeconds,
} from './facts.ts';
import type { ObservedStatusWrite } from './handled-rules.ts';

export function checkSuspensionAndSuccess(write: ObservedStatusWrite): readonly string[] {
  const { base, status, now } = write;
  const isSuspended = isSuspendedAt(base.spec, now);
  const until = isSuspended && !base.spec.suspend ? base.spec.suspendUntil : undefined;
  return [
    ...findBrokenRules({ 'suspendedUntil is the end of the current suspension': status.suspendedUntil === until }),
    ...checkExpectedSince(write),
    ...checkOverdue(write),
  ];
}

export function findCondition(status: CronJobStatus | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

const TOLERATED_SKEW_MS = 60_000;

/** Start of the wait for a success. */
function checkExpectedSince(write: ObservedStatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const { expectSuccessWithinSeconds: seconds, suspend } = base.spec;
  const since = parseInstant(status.successExpectedSince);
  if (seconds === undefined)
    return findBrokenRules({ 'successExpectedSince is unset without expectSuccessWithinSeconds': since === undefined });
  const isSuspended = suspend || isSuspendedAt(base.spec, now);
  const before = parseInstant(base.status?.successExpectedSince);
  if (!isSuspended && findCondition(base.status, 'Overdue')?.reason === 'Suspended')
    return checkSinceSuspension(write, since);
  if (latest(before).getTime() > now.getTime() + TOLERATED_SKEW_MS) {
    return findBrokenRules({ 'successExpectedSince is not in the future': since !== undefined && since <= now });
  }
  if (isEndOfSuspendUntil(write, since)) return [];
  if (before !== undefined) return findBrokenRules({ 'successExpectedSince stays': isSameInstant(before, since) });
  if (base.status?.observedGeneration === undefined) {
    const isAhead = ledger.createdAt.getTime() > now.getTime() + TOLERATED_SKEW_MS;
    const isCorrect = isAhead ? since !== undefined && since <= now : isSameInstant(since, ledger.createdAt);
    return findBrokenRules({ 'successExpectedSince is the creation time': isCorrect });
  }
  return checkSinceFirstReconcile(write, since);
}

/** The spec alone shows it, whether or not a status with the suspension could be stored. */
function isEndOfSuspendUntil({ base, now }: ObservedStatusWrite, since: Date | undefined): boolean {
  const until = parseInstant(base.spec.suspendUntil);
  const isPassed = until !== undefined && until <= now;
  return isPassed && isSameInstant(until, since) && until > latest(parseInstant(base.status?.lastSuccessfulTime));
}

function checkSinceSuspension(write: ObservedStatusWrite, since: Date | undefined): readonly string[] {
  const { base, ledger, now } = write;
  if (ledger.wasSkewed) return [];
  const end = ledger.history.findSuspensionEnd(base, now);
  const isByTime = end?.isByTime === true && ledger.suspendUntilAtWrite === base.spec.suspendUntil;
  const isInTime = since !== undefined && end !== undefined && since >= truncateToSeconds(end.at) && since <= now;
  return findBrokenRules({
    [`successExpectedSince is the end of the suspension (${end?.at.toISOString()})`]:
      isEndByStatus(write, since) || (isInTime && (!isByTime || isSameInstant(since, end.at))),
  });
}

/** A manager that was down cannot know that a user suspended and resumed the CronJob meanwhile. */
function isEndByStatus({ base: { spec, status } }: ObservedStatusWrite, since: Date | undefined): boolean {
  const until = status?.suspendedUntil;
  return until !== undefined && until === spec.suspendUntil && isSameInstant(parseInstant(until), since);
}

/** A process remembers its first reconcile, even when that status was not stored. */
function checkSinceFirstReconcile(
  { base, status, ledger, now }: ObservedStatusWrite,
  since: Date | undefined,
): readonly string[] {
  const fieldSetAt = ledger.history.findSince(base, (spec) => spec.expectSuccessWithinSeconds !== undefined);
  const isSinceEdit = since !== undefined && since >= truncateToSeconds(fieldSetAt) && since <= now;
  if (status.lastSuccessfulTime !== undefined) {
    // The first reconcile may have been before the first success was visible.
    const isSinceFirstReconcile = isSinceEdit && base.status?.lastSuccessfulTime === undefined;
    return findBrokenRules({
      'successExpectedSince is unset after a success': since === undefined || isSinceFirstReconcile,
    });
  }
  return findBrokenRules({
    'successExpectedSince is the time of the first reconcile': isSinceEdit || (ledger.wasSkewed && since !== undefined),
  });
}

function checkOverdue({ base, status, now, reportEffect }: ObservedStatusWrite): readonly string[] {
  const condition = findCondition(status, 'Overdue');
  const overdueTime = computeOverdueTime(base.spec, status, now);
  const actual = condition && `${condition.status} ${condition.reason}`;
  if (actual === 'True NoRecentSuccess') reportEffect('overdue');
  if (overdueTime === undefined)
    return findBrokenRules({ 'Overdue exists only with expectSuccessWithinSeconds': condition === undefined });
  if (isSuspendedAt(base.spec, now))
    return findBrokenRules({ 'Overdue is False during a suspension': actual === 'False Suspended' });
  const expected = overdueTime <= now ? 'True NoRecentSuccess' : 'False AsExpected';
  return findBrokenRules({ [`Overdue is ${expected}, not ${actual}`]: actual === expected });
}

const NEVER_MS = 8.64e15;

/** When a success is overdue: never when the CronJob ends before. `undefined` when the CronJob does not expect a success. */
export function computeOverdueTime(spec: CronJobSpec, status: CronJobStatus, now: Date): Date | undefined {
  const { expectSuccessWithinSeconds: seconds } = spec;
  if (seconds === undefined) return undefined;
  const since = latest(parseInstant(status.lastSuccessfulTime), parseInstant(status.successExpectedSince));
  const at = new Date(Math.min(NEVER_MS, Math.min(since.getTime(), now.getTime()) + seconds * 1000));
  return hasEnded(spec, at) ? new Date(NEVER_MS) : at;
}
