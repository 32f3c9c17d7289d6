/** How many slots were passed over, and why. */
import type { Started } from './applied.ts';
import type { DueSlots } from './due-slots.ts';
import type { Plan } from './plan.ts';

/** Slots that should have run and did not. */
export const MISSED_REASONS = ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'] as const;
/** Slots that were not run because something said so. */
export const SKIPPED_REASONS = ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken', 'Suspended'] as const;

/** Slots passed over for one reason. */
export type SlotTally =
  | { readonly kind: 'missed'; readonly reason: (typeof MISSED_REASONS)[number]; readonly count: number }
  | { readonly kind: 'skipped'; readonly reason: (typeof SKIPPED_REASONS)[number]; readonly count: number };

/**
 * The slots that this pass settles without a run. Of a long backlog at most 101 are counted at once: the count is exact
 * up to there, and nobody needs to know how many minutes a year has.
 */
export function tallySlots({ outcome, isResuming }: Plan, started: Started): readonly SlotTally[] {
  switch (outcome.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
      return [];
    case 'TooManyMissed':
      return tallies([expired(outcome.due), missed('TooManyMissedTimes', outcome.due.unmet.count)], isResuming);
    case 'NothingDue':
      return tallies([expired(outcome.due)], isResuming);
    case 'Blocked':
      return tallies(
        [expired(outcome.due), skipped('ConcurrencyPolicyForbid', olderThanNewest(outcome.due))],
        isResuming,
      );
    case 'Run':
      return tallies([expired(outcome.due), ...ofStart(outcome.due, started)], isResuming);
  }
}

function ofStart(due: DueSlots, started: Started): readonly SlotTally[] {
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

function expired({ expired: { count } }: DueSlots): SlotTally {
  return missed('DeadlineExceeded', count);
}

function olderThanNewest({ unmet: { count } }: DueSlots): number {
  return count - 1;
}

function tallies(counts: readonly SlotTally[], isResuming: boolean): readonly SlotTally[] {
  const told = counts.filter(({ count }) => count > 0);
  if (!isResuming) return told;
  // What went by while nothing was to be started was not missed, and nothing else held it up.
  const wasDue = ({ reason }: SlotTally) => reason === 'JobNameTaken';
  const suspended = told.filter((tally) => !wasDue(tally)).reduce((sum, { count }) => sum + count, 0);
  return [...(suspended > 0 ? [skipped('Suspended', suspended)] : []), ...told.filter(wasDue)];
}

function missed(reason: (typeof MISSED_REASONS)[number], count: number): SlotTally {
  return { kind: 'missed', reason, count };
}

function skipped(reason: (typeof SKIPPED_REASONS)[number], count: number): SlotTally {
  return { kind: 'skipped', reason, count };
}
