/** How many slots were passed over, and why. */
import type { StartResult } from './applied.ts';
import type { Decision } from './decide.ts';
import type { Facts } from './facts.ts';
import type { DueSlots } from './slots.ts';

/** Slots that should have run and did not. */
export const MISSED_REASONS = ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'] as const;
/** Slots that were not run because something said so. */
export const SKIPPED_REASONS = ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken', 'Suspended'] as const;

/** Slots passed over for one reason. */
export type PassedOver =
  | { readonly kind: 'missed'; readonly reason: (typeof MISSED_REASONS)[number]; readonly count: number }
  | { readonly kind: 'skipped'; readonly reason: (typeof SKIPPED_REASONS)[number]; readonly count: number };

/**
 * The slots that this pass settles without a run. Of a long backlog at most 101 are counted at once: the count is exact
 * up to there, and nobody needs to know how many minutes a year has.
 */
export function slotsPassedOver(facts: Facts, decision: Decision, started: StartResult): readonly PassedOver[] {
  const counts = countsOf(facts.due, decision, started).filter(({ count }) => count > 0);
  return facts.isResuming ? skippedOnPurpose(counts) : counts;
}

function countsOf(due: DueSlots, decision: Decision, started: StartResult): readonly PassedOver[] {
  switch (decision.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
      return [];
    case 'TooManyMissed':
      return [expired(due), missed('TooManyMissedTimes', due.unmet.count)];
    case 'NothingDue':
      return [expired(due)];
    case 'Blocked':
      return [expired(due), skipped('ConcurrencyPolicyForbid', olderThanNewest(due))];
    case 'Run':
      return [expired(due), ...ofStart(due, started)];
  }
}

function ofStart(due: DueSlots, started: StartResult): readonly PassedOver[] {
  const older = olderThanNewest(due);
  switch (started.kind) {
    case 'None':
    case 'Failed':
      return [skipped('FailedCreate', older)];
    case 'Created':
    case 'Adopted':
      return [missed('Superseded', older)];
    case 'Foreign':
      return [missed('Superseded', older), skipped('JobNameTaken', 1)];
  }
}

function expired({ expired: { count } }: DueSlots): PassedOver {
  return missed('DeadlineExceeded', count);
}

function olderThanNewest({ unmet: { count } }: DueSlots): number {
  return count - 1;
}

/** What went by while nothing was to be started was not missed, and nothing else held it up. */
function skippedOnPurpose(counts: readonly PassedOver[]): readonly PassedOver[] {
  const wasDue = ({ reason }: PassedOver) => reason === 'JobNameTaken';
  const suspended = counts.filter((each) => !wasDue(each)).reduce((sum, { count }) => sum + count, 0);
  return [...(suspended > 0 ? [skipped('Suspended', suspended)] : []), ...counts.filter(wasDue)];
}

function missed(reason: (typeof MISSED_REASONS)[number], count: number): PassedOver {
  return { kind: 'missed', reason, count };
}

function skipped(reason: (typeof SKIPPED_REASONS)[number], count: number): PassedOver {
  return { kind: 'skipped', reason, count };
}
