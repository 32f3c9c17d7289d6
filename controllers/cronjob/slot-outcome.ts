/** What becomes of the due slots in a pass. Status, skips, events, metrics and the time of the next pass all follow from this one answer. */
import { latest } from '../../api/time.ts';
import { slotJobName } from '../../api/v1/job-names.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import { failedStartKeysOf, waitingKey } from '../../api/v1/reported.ts';
import type { Decision, StartResult } from './decide.ts';
import type { Facts } from './facts.ts';

export interface SlotOutcome {
  /** The newest slot that the pass handles without a run. */
  readonly handledThrough?: Date | undefined;
  /** Why the slots that could still have started did not, up to `handledThrough`. */
  readonly reason: SkipReason;
  /** The slot whose run cannot start because something else owns a Job of its name. */
  readonly taken?: Date;
  /** The slot that stays due. */
  readonly waiting?: Date;
  /** For an event: the newest slot whose deadline passed, or that there were too many. */
  readonly missed?: Date | 'TooMany' | undefined;
}

const NO_SLOTS: SlotOutcome = { reason: 'Superseded' };

/** Computes the outcome. */
export function slotOutcome(facts: Facts, decision: Decision, started: StartResult): SlotOutcome {
  const { due, now, isResuming } = facts;
  const handledThrough = due.expired.newest;
  const missed = isResuming ? undefined : due.expired.newest;
  switch (decision.kind) {
    case 'Deleting':
    case 'JobsUnknown':
    case 'RunNow':
    case 'RecordFirst':
    case 'InvalidSchedule':
    case 'Suspended':
    case 'Paused':
      return NO_SLOTS;
    case 'TooManyMissed':
      return { handledThrough: now, reason: 'TooManyMissedTimes', missed: 'TooMany' };
    case 'NothingDue':
      return { handledThrough, reason: 'Superseded', missed };
    case 'Blocked':
      return waits('ConcurrencyPolicyForbid', decision.slot);
    case 'Run':
      switch (started.kind) {
        case 'None':
        case 'Failed':
          return waits('FailedCreate', decision.slot);
        case 'Created':
        case 'Adopted':
          return { handledThrough, reason: 'Superseded', missed };
        case 'Foreign':
          return { handledThrough: decision.slot, reason: 'Superseded', taken: decision.slot, missed };
      }
  }

  /** The newest slot stays due; those before it are given up. */
  function waits(reason: 'ConcurrencyPolicyForbid' | 'FailedCreate', waiting: Date): SlotOutcome {
    return { handledThrough: latest(handledThrough, due.unmet.before), reason, waiting, missed };
  }
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
