/** What becomes of the due slots in a pass. Status, skips, events, metrics and the time of the next pass all follow from this one answer. */
import { latest } from '../../api/time.ts';
import { slotJobName } from '../../api/v1/job-names.ts';
import { failedStartKeysOf, waitingKey } from '../../api/v1/reported.ts';
import type { MISSED_REASONS, SKIPPED_REASONS, SkipReason } from '../../api/v1/skip-reasons.ts';
import type { Decision, StartResult } from './decide.ts';
import type { Facts } from './facts.ts';

export interface SlotOutcome {
  /** The newest slot that the pass handles without a run. */
  readonly handledThrough?: Date | undefined;
  /** How many slots did not run, by reason. Of a long backlog at most 101 are counted: more would cost time and help nobody. */
  readonly counts: readonly SlotCount[];
  /** Why the slots that could still have started did not, up to `handledThrough`. */
  readonly reason: SkipReason;
  /** The slot whose run cannot start because something else owns a Job of its name. */
  readonly taken?: Date;
  /** The slot that stays due. */
  readonly waiting?: Date;
  /** For an event: the newest slot whose deadline passed, or that there were too many. */
  readonly missed?: Date | 'TooMany' | undefined;
}

/** Slots that were missed or skipped for one reason. */
export type SlotCount =
  | { readonly kind: 'missed'; readonly reason: (typeof MISSED_REASONS)[number]; readonly count: number }
  | { readonly kind: 'skipped'; readonly reason: (typeof SKIPPED_REASONS)[number]; readonly count: number };

const NO_SLOTS: SlotOutcome = { counts: [], reason: 'Superseded' };

/** Computes the outcome. */
export function slotOutcome(facts: Facts, decision: Decision, started: StartResult): SlotOutcome {
  const outcome = outcomeOf(facts, decision, started);
  const counts = facts.isResuming ? skippedOnPurpose(outcome.counts) : outcome.counts;
  return { ...outcome, counts: counts.filter(({ count }) => count > 0) };
}

/** Slots of a time in which none were to start, and which ends with this pass. Counted once the status is stored. */
export function stoppedSlots({ due: { suspended }, pausedSlots }: Facts): readonly SlotCount[] {
  const counts = [skipped('Paused', pausedSlots), skipped('Suspended', suspended?.count ?? 0)];
  return counts.filter(({ count }) => count > 0);
}

function outcomeOf(facts: Facts, decision: Decision, started: StartResult): SlotOutcome {
  const { due, now, isResuming } = facts;
  const handledThrough = due.expired.newest;
  const expired = { counts: expiredCounts(facts), missed: isResuming ? undefined : due.expired.newest };
  const older = due.unmet.count - 1;
  switch (decision.kind) {
    case 'Deleting':
    case 'JobsUnknown':
    case 'RunNow':
    case 'RecordFirst':
    case 'InvalidSchedule':
    case 'Suspended':
    case 'Paused':
      return NO_SLOTS;
    case 'TooManyMissed': {
      const counts = [...expired.counts, missed('TooManyMissedTimes', due.unmet.count)];
      return { handledThrough: now, counts, reason: 'TooManyMissedTimes', missed: 'TooMany' };
    }
    case 'NothingDue':
      return { ...expired, handledThrough, reason: 'Superseded' };
    case 'Blocked':
      return waits('ConcurrencyPolicyForbid', decision.slot);
    case 'Run':
      switch (started.kind) {
        case 'None':
        case 'Failed':
          return waits('FailedCreate', decision.slot);
        case 'Created':
        case 'Adopted':
          return {
            ...expired,
            handledThrough,
            counts: [...expired.counts, missed('Superseded', older)],
            reason: 'Superseded',
          };
        case 'Foreign': {
          const counts = [...expired.counts, missed('Superseded', older), skipped('JobNameTaken', 1)];
          return { ...expired, handledThrough: decision.slot, counts, reason: 'Superseded', taken: decision.slot };
        }
      }
  }

  /** The newest slot stays due; those before it are given up. */
  function waits(reason: 'ConcurrencyPolicyForbid' | 'FailedCreate', waiting: Date): SlotOutcome {
    const counts = [...expired.counts, skipped(reason, older)];
    return { ...expired, handledThrough: latest(handledThrough, due.unmet.before), counts, reason, waiting };
  }
}

function expiredCounts(facts: Facts): readonly SlotCount[] {
  const { count, oldest } = facts.due.expired;
  const waited = oldest && waitedFor(oldest, facts);
  return waited ? [missed('DeadlineExceeded', count - 1), skipped(waited, 1)] : [missed('DeadlineExceeded', count)];
}

/** What a slot waited for, by what was reported of it; `undefined` when nothing was. */
export function waitedFor(
  slot: Date,
  { cronJob, status: { reported = [] } }: Pick<Facts, 'cronJob' | 'status'>,
): 'ConcurrencyPolicyForbid' | 'FailedCreate' | undefined {
  if (reported.length === 0) return undefined;
  const jobName = slotJobName(cronJob, slot);
  if (reported.includes(waitingKey(jobName))) return 'ConcurrencyPolicyForbid';
  return failedStartKeysOf([jobName], reported).length > 0 ? 'FailedCreate' : undefined;
}

/** Slots of the time while suspended were skipped, whatever else would have been the reason. */
function skippedOnPurpose(counts: readonly SlotCount[]): readonly SlotCount[] {
  const wasDue = ({ reason }: SlotCount) => reason === 'JobNameTaken';
  const suspended = counts.filter((each) => !wasDue(each)).reduce((sum, { count }) => sum + count, 0);
  return [skipped('Suspended', suspended), ...counts.filter(wasDue)];
}

function missed(reason: (typeof MISSED_REASONS)[number], count: number): SlotCount {
  return { kind: 'missed', reason, count };
}

function skipped(reason: (typeof SKIPPED_REASONS)[number], count: number): SlotCount {
  return { kind: 'skipped', reason, count };
}
