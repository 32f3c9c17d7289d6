/** A slot is skipped for a reason that holds. */

import type { SkipReason } from '../../api/v1/reasons.ts';
import type { RecentSkip } from '../../api/v1/recent-lines.ts';
import {
  findBrokenRules,
  getCatchUpLimit,
  getDeadlineMs,
  isSuspendedAt,
  latest,
  MAX_MISSED,
  voidThrough,
} from './facts.ts';
import {
  hasFailedToStart,
  hasGivenUpMissed,
  isAbandonedSlot,
  isBlocked,
  type ObservedStatusWrite,
  wasRunActiveAt,
} from './handled-rules.ts';
import type { DelayedSlots } from './jitter.ts';
import { findCondition } from './suspension-rules.ts';

interface SkippedSlot {
  /** The last slot of the entry. */
  readonly slot: Date;
  readonly write: ObservedStatusWrite;
  readonly schedule: DelayedSlots;
}

export function checkReason(
  { reason, lastTime: slot }: RecentSkip,
  write: ObservedStatusWrite,
  schedule: DelayedSlots,
): readonly string[] {
  const isVoid = slot <= voidThrough(write.base, write.now);
  return findBrokenRules({
    [`a slot is skipped for the right reason (${reason} ${slot.toISOString()})`]:
      Object.hasOwn(REASONS, reason) && REASONS[reason as SkipReason]({ slot, write, schedule }),
    [`a slot of a suspension is skipped as Suspended (${reason})`]:
      !isVoid || ['Suspended', 'Paused', 'Excluded'].includes(reason),
  });
}

/** Whether each reason holds for a slot. */
const REASONS: Readonly<Record<SkipReason, (skipped: SkippedSlot) => boolean>> = {
  Suspended: ({ slot, write: { base, now } }) => {
    const isResumed = findCondition(base.status, 'Available')?.reason === 'Suspended' && !isSuspendedAt(base.spec, now);
    return slot <= voidThrough(base, now) || isResumed;
  },
  Paused: ({ write: { base, status } }) => base.status?.paused !== undefined && status.paused === undefined,
  Excluded: ({ slot, schedule }) => schedule.isExcluded(slot),
  DeadlineExceeded: ({ slot, write: { base, now }, schedule }) => {
    const deadlineMs = getDeadlineMs(base);
    return deadlineMs !== undefined && schedule.startOf(slot).getTime() <= now.getTime() - deadlineMs;
  },
  Superseded: (skipped) => getCatchUpLimit(skipped.write.base) === undefined && hasLaterSlot(skipped),
  TooManyMissedTimes: (skipped) => {
    const { base } = skipped.write;
    if (base.spec.concurrencyPolicy === 'Queue') return false;
    const limit = getCatchUpLimit(base);
    return limit === undefined ? hasGivenUpMissed(skipped.write, skipped.schedule) : isBeyondLimit(skipped, limit);
  },
  QueueFull: (skipped) => {
    const { base } = skipped.write;
    return base.spec.concurrencyPolicy === 'Queue' && isBeyondLimit(skipped, getCatchUpLimit(base) ?? MAX_MISSED);
  },
  ConcurrencyPolicySkip: ({ slot, write, schedule }) =>
    write.base.spec.concurrencyPolicy === 'Skip' &&
    (isBlocked(write) || wasRunActiveAt(schedule.startOf(slot), write.status, write.observed)),
  ConcurrencyPolicyForbid: (skipped) =>
    skipped.write.base.spec.concurrencyPolicy === 'Forbid' && hasWaitedForRuns(skipped),
  MaxConcurrentRuns: (skipped) => skipped.write.base.spec.concurrencyPolicy !== 'Forbid' && hasWaitedForRuns(skipped),
  FailedCreate: (skipped) => {
    const { slot, write } = skipped;
    const wasReported = getReported(skipped).some((key) => key.startsWith(`FailedStart/${getJobName(skipped)}/`));
    return wasReported || isAbandonedSlot(write, slot) || (hasFailedToStart(write) && hasLaterSlot(skipped));
  },
  JobNameTaken: (skipped) => skipped.write.isForeignName(getJobName(skipped)),
};

function getJobName({ slot, write: { base } }: SkippedSlot): string {
  return `${base.metadata.name}-${slot.getTime() / 1000}`;
}

function getReported({ write: { base } }: SkippedSlot): readonly string[] {
  return base.status?.reported ?? [];
}

/** Whether a later slot is due, or ran. */
function hasLaterSlot({ slot, write: { ledger, now }, schedule }: SkippedSlot): boolean {
  return latest(ledger.newestSlot, schedule.previous(schedule.startedThrough(now))) > slot;
}

/** Whether so many later slots are due as may start late, or an earlier reconcile has started a later one. */
function isBeyondLimit({ slot, write: { ledger, observed, now }, schedule }: SkippedSlot, limit: number): boolean {
  const later = schedule.between(slot, schedule.startedThrough(now), { limit });
  return later.length >= limit || (observed.created === undefined && ledger.newestSlot > slot);
}

/** Whether runs are active and a later slot waits now, or the slot has waited for them. */
function hasWaitedForRuns(skipped: SkippedSlot): boolean {
  const hasWaited = getReported(skipped).includes(`JobAlreadyActive/${getJobName(skipped)}`);
  return hasWaited || (isBlocked(skipped.write) && hasLaterSlot(skipped));
}
