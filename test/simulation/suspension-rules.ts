/** Rules for the parts of a status about the wait for a success: `suspendUntil`, `expectSuccessWithinSeconds` and the condition Overdue. */
import type { Condition, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { broken, instantOf, isSuspendedAt, newest, sameInstant, wholeSeconds } from './facts.ts';
import type { StatusWrite } from './settled-rules.ts';

export function suspensionAndSuccess(write: StatusWrite): readonly string[] {
  const { base, status, now } = write;
  const isSuspended = isSuspendedAt(base.spec, now);
  const until = isSuspended && !base.spec.suspend ? base.spec.suspendUntil : undefined;
  return [
    ...broken({ 'suspendedUntil is the time that is waited for': status.suspendedUntil === until }),
    ...expectedSince(write),
    ...overdue(write),
  ];
}

export function conditionOf(status: CronJobStatus | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

const TOLERATED_SKEW_MS = 60_000;

/** Start of the wait for a success. */
function expectedSince(write: StatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const { expectSuccessWithinSeconds: seconds, suspend } = base.spec;
  const since = instantOf(status.successExpectedSince);
  if (seconds === undefined) return broken({ 'nobody waits for a success': since === undefined });
  const isSuspended = suspend || isSuspendedAt(base.spec, now);
  const before = instantOf(base.status?.successExpectedSince);
  if (!isSuspended && conditionOf(base.status, 'Overdue')?.reason === 'Suspended') return sinceSuspension(write, since);
  if (newest(before).getTime() > now.getTime() + TOLERATED_SKEW_MS) {
    return broken({ 'a success is not expected from a time on that is ahead': since !== undefined && since <= now });
  }
  if (isEndOfSuspendUntil(write, since)) return [];
  if (before !== undefined) return broken({ 'successExpectedSince stays': sameInstant(before, since) });
  if (base.status?.observedGeneration === undefined) {
    const isAhead = ledger.createdAt.getTime() > now.getTime() + TOLERATED_SKEW_MS;
    const isSince = isAhead ? since !== undefined && since <= now : sameInstant(since, ledger.createdAt);
    return broken({ 'a success is expected from the creation on': isSince });
  }
  return sinceFirstLook(write, since);
}

/** The spec alone shows it, whether or not a status with the suspension could be stored. */
function isEndOfSuspendUntil({ base, now }: StatusWrite, since: Date | undefined): boolean {
  const until = instantOf(base.spec.suspendUntil);
  const isPassed = until !== undefined && until <= now;
  return isPassed && sameInstant(until, since) && until > newest(instantOf(base.status?.lastSuccessfulTime));
}

function sinceSuspension(write: StatusWrite, since: Date | undefined): readonly string[] {
  const { base, ledger, now } = write;
  if (ledger.wasSkewed) return [];
  const end = ledger.history.suspensionEnd(base, now);
  const isByTime = end?.isByTime === true && ledger.untilAtWrite === base.spec.suspendUntil;
  const isInTime = since !== undefined && end !== undefined && since >= wholeSeconds(end.at) && since <= now;
  return broken({
    [`a success is expected from the end of the suspension on (${end?.at.toISOString()})`]:
      isEndByStatus(write, since) || (isInTime && (!isByTime || sameInstant(since, end.at))),
  });
}

/** A manager that was away cannot know that a user suspended and resumed the CronJob meanwhile. */
function isEndByStatus({ base: { spec, status } }: StatusWrite, since: Date | undefined): boolean {
  const until = status?.suspendedUntil;
  return until !== undefined && until === spec.suspendUntil && sameInstant(instantOf(until), since);
}

/** A process remembers its first pass, even when that status was not stored. */
function sinceFirstLook({ base, status, ledger, now }: StatusWrite, since: Date | undefined): readonly string[] {
  const wanted = ledger.history.since(base, (spec) => spec.expectSuccessWithinSeconds !== undefined);
  const isSinceEdit = since !== undefined && since >= wholeSeconds(wanted) && since <= now;
  if (status.lastSuccessfulTime !== undefined) {
    // The first pass may have been before the first success was visible.
    const isSinceLook = isSinceEdit && base.status?.lastSuccessfulTime === undefined;
    return broken({ 'a success is expected from the last one on': since === undefined || isSinceLook });
  }
  return broken({
    'a success is expected from the first look on': isSinceEdit || (ledger.wasSkewed && since !== undefined),
  });
}

function overdue({ base, status, now, note }: StatusWrite): readonly string[] {
  const shown = conditionOf(status, 'Overdue');
  const expected = overdueAt(base.spec.expectSuccessWithinSeconds, status, now);
  const says = shown && `${shown.status} ${shown.reason}`;
  if (says === 'True NoRecentSuccess') note('overdue');
  if (expected === undefined)
    return broken({ 'Overdue is shown to those only who expect a success': shown === undefined });
  if (isSuspendedAt(base.spec, now)) return broken({ 'Overdue rests while suspended': says === 'False Suspended' });
  const right = expected <= now ? 'True NoRecentSuccess' : 'False AsExpected';
  return broken({ [`Overdue is ${right}, not ${says}`]: says === right });
}

/** When a success is overdue; `undefined` when the CronJob does not expect a success. */
export function overdueAt(seconds: number | undefined, status: CronJobStatus, now: Date): Date | undefined {
  if (seconds === undefined) return undefined;
  const since = newest(instantOf(status.lastSuccessfulTime), instantOf(status.successExpectedSince));
  return new Date(Math.min(8.64e15, Math.min(since.getTime(), now.getTime()) + seconds * 1000));
}
