/** Every slot has one run or one skip. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseRecentSkip, type RecentSkip } from '../../api/v1/recent-lines.ts';
import { hasReportedZeroDeadline } from '../../api/v1/reported-keys.ts';
import type { Slots } from './calendar.ts';
import type { Effect } from './effects.ts';
import { findBrokenRules, getDeadlineMs, getListLimit, latest, parseInstant, storedFloor } from './facts.ts';
import type { ObservedStatusWrite } from './handled-rules.ts';
import type { DelayedSlots } from './jitter.ts';
import { checkReason } from './skip-reason-rules.ts';
import { findCondition } from './suspension-rules.ts';

/** When there are more slots than this, the rules look only at the first and the last one. */
const MAX_CHECKED_SLOTS = 400;
const MAX_COUNTED = 101;

/** Slots that a write has added. */
interface AddedSkips {
  readonly skips: readonly RecentSkip[];
  /** The newest line before the write, when the write has extended it. */
  readonly extendedSkip?: RecentSkip | undefined;
  /** Whether no older line was dropped from a full list. */
  readonly isWhole: boolean;
}

export function checkRecentSkips(write: ObservedStatusWrite, schedule: DelayedSlots | undefined): readonly string[] {
  const { base, status, reportEffect } = write;
  const limit = getListLimit(base);
  const lines = status.recentSkips ?? [];
  const [before, after] = [parseSkips(base.status), parseSkips(status)];
  for (const { reason } of after) reportEffect(`skipped: ${reason}` as Effect);
  const added = findAddedSkips(before, after);
  if (limit === 0) return findBrokenRules({ 'no skip is listed when recentRunsLimit is 0': lines.length === 0 });
  const floor = latest(storedFloor(base), parseInstant(status.effectiveSchedule?.since));
  const span = { from: floor, until: latest(storedFloor({ status } as typeof base)) };
  const isVoid = schedule === undefined || hadZeroDeadline(write);
  return [
    ...findBrokenRules({
      'every line of recentSkips is valid': after.length === lines.length,
      'recentSkips has at most recentRunsLimit lines': lines.length <= limit,
      'skips are listed newest first': after.every((skip, index) => isBefore(skip, after[index - 1])),
      // An excluded slot is not void because of the deadline alone, so a later reconcile may list it.
      'no void slot is listed': !isVoid || added.skips.every(({ reason }) => reason === 'Excluded'),
    }),
    ...(isVoid ? [] : checkAccounting(write, schedule, { ...span, added, isFull: lines.length >= limit })),
  ];
}

/** The manager knows a deadline of 0 before the last edit only if its status reports the deadline. */
function hadZeroDeadline({ base }: ObservedStatusWrite): boolean {
  // With spec.suspend as well, the slots were skipped by the suspension, and are listed as such.
  const wasSuspended = findCondition(base.status, 'Available')?.reason === 'Suspended' && !base.status?.suspendedUntil;
  if (wasSuspended) return false;
  const isOfThisSpec = base.status?.observedGeneration === base.metadata.generation;
  return isOfThisSpec ? getDeadlineMs(base) === 0 : hasReportedZeroDeadline(base.status?.reported);
}

function parseSkips(status: CronJobStatus = {}): readonly RecentSkip[] {
  return (status.recentSkips ?? []).map(parseRecentSkip).filter((skip) => skip !== undefined);
}

function findAddedSkips(before: readonly RecentSkip[], after: readonly RecentSkip[]): AddedSkips {
  const [newestBefore] = before;
  const index = after.findIndex((skip) => isSame(skip, newestBefore));
  if (newestBefore === undefined || index < 0) return { skips: after, isWhole: before.length === 0 };
  const kept = after[index];
  const isGrown = kept !== undefined && kept.lastTime > newestBefore.lastTime;
  const grown = isGrown
    ? [{ ...kept, firstTime: new Date(newestBefore.lastTime.getTime() + 1000), count: kept.count - newestBefore.count }]
    : [];
  return {
    skips: [...after.slice(0, index), ...grown],
    extendedSkip: isGrown ? newestBefore : undefined,
    isWhole: true,
  };
}

/** Excluded slots and others have separate entries, so these may overlap. */
function isBefore(skip: RecentSkip, newer: RecentSkip | undefined): boolean {
  if (newer === undefined || skip.lastTime < newer.firstTime) return true;
  return skip.firstTime < newer.firstTime && (skip.reason === 'Excluded') !== (newer.reason === 'Excluded');
}

function isSame(left: RecentSkip, right: RecentSkip | undefined): boolean {
  return (
    left.reason === right?.reason && left.note === right.note && left.firstTime.getTime() === right.firstTime.getTime()
  );
}

interface AddedSpan {
  readonly from: Date;
  readonly until: Date;
  readonly added: AddedSkips;
  readonly isFull: boolean;
}

function checkAccounting(
  write: ObservedStatusWrite,
  schedule: DelayedSlots,
  { from, until, added, isFull }: AddedSpan,
): readonly string[] {
  const { observed, ledger } = write;
  const slots = until > from ? schedule.all.between(from, until, { limit: MAX_CHECKED_SLOTS }) : [];
  const isLong = slots.length >= MAX_CHECKED_SLOTS;
  const hasRun = (slot: Date) => {
    const run = ledger.getRun(slot);
    return (
      run !== undefined && (observed.hasReadJob(run.job.metadata.uid) || ledger.book.listed.has(run.job.metadata.name))
    );
  };
  const mayHaveRun = (slot: Date) => ledger.getRun(slot) !== undefined;
  const isSkipped = (slot: Date) =>
    added.skips.some((skip) => isInEntry(slot, skip) && isOfKind(slot, skip.reason, schedule));
  // After a long time, the manager looks only at the newest excluded slots.
  const isListed = (slot: Date) => !isLong || !schedule.isExcluded(slot);
  const unaccounted = slots.filter((slot) => isListed(slot) && !mayHaveRun(slot) && !isSkipped(slot));
  const isComplete =
    (added.isWhole && !isFull) || added.skips.length < 1 || (added.isWhole && added.extendedSkip !== undefined);
  return [
    ...findBrokenRules({
      [`every slot has a run or a skip (${formatSlots(unaccounted)})`]: unaccounted.length === 0 || !isComplete,
      [`no slot with a run is listed as skipped (${formatSlots(slots.filter((slot) => hasRun(slot) && isSkipped(slot)))})`]:
        !slots.some((slot) => hasRun(slot) && isSkipped(slot)),
      'only new slots are added to the skips': added.skips.every(
        ({ firstTime, lastTime }) => (firstTime > from || added.extendedSkip !== undefined) && lastTime <= until,
      ),
      'an entry of skips begins and ends with a slot': added.skips.every(
        ({ firstTime, lastTime, reason }) =>
          isSlot(schedule.all, lastTime) &&
          isOfKind(lastTime, reason, schedule) &&
          (added.extendedSkip !== undefined ||
            (isSlot(schedule.all, firstTime) && isOfKind(firstTime, reason, schedule))),
      ),
      'consecutive skips with one reason are one entry': added.skips.every((skip, index) => {
        const older = added.skips[index + 1];
        return (
          older === undefined || !hasSameReason(skip, older) || hasRunBetween(write, older.lastTime, skip.firstTime)
        );
      }),
      'no run lies between the slots of one new entry': !added.skips.some(({ firstTime, lastTime }) =>
        hasRunBetween(write, firstTime, lastTime),
      ),
      'no run lies between the slots of one entry':
        added.extendedSkip === undefined ||
        !hasRunBetween(
          write,
          added.extendedSkip.lastTime,
          findFirstSkipped(
            slots,
            added.extendedSkip,
            (slot) => mayHaveRun(slot) || !isOfKind(slot, added.extendedSkip?.reason, schedule),
          ),
        ),
    }),
    ...(isLong ? [] : checkCounts(write, { schedule, slots }, added)),
    ...added.skips.flatMap((skip) => checkReason(skip, write, schedule)),
  ];
}

function formatSlots(slots: readonly Date[]): string {
  return slots
    .slice(0, 3)
    .map((slot) => slot.toISOString())
    .join();
}

function isSlot(schedule: Slots, time: Date): boolean {
  return schedule.previous(time)?.getTime() === time.getTime();
}

function findFirstSkipped(slots: readonly Date[], { lastTime }: RecentSkip, mayHaveRun: (slot: Date) => boolean): Date {
  return slots.find((slot) => slot > lastTime && !mayHaveRun(slot)) ?? lastTime;
}

function isInEntry(slot: Date, { firstTime, lastTime }: RecentSkip): boolean {
  return slot >= firstTime && slot <= lastTime;
}

/** Excluded slots have entries with that reason, and no other slot has. */
function isOfKind(slot: Date, reason: string | undefined, schedule: DelayedSlots): boolean {
  return schedule.isExcluded(slot) === (reason === 'Excluded');
}

function hasSameReason(skip: RecentSkip, other: RecentSkip): boolean {
  return skip.reason === other.reason && skip.note === other.note;
}

/** Whether the status has a run of a slot in between. */
function hasRunBetween({ ledger, observed }: ObservedStatusWrite, after: Date, before: Date): boolean {
  return [...ledger.runs.values()].some(
    ({ slot, job }) =>
      slot !== undefined &&
      slot > after &&
      slot < before &&
      (ledger.book.listed.has(job.metadata.name) || observed.hasReadJob(job.metadata.uid)),
  );
}

function checkCounts(
  { ledger }: ObservedStatusWrite,
  { schedule, slots }: { readonly schedule: DelayedSlots; readonly slots: readonly Date[] },
  { skips, extendedSkip }: AddedSkips,
): readonly string[] {
  return skips.flatMap((skip, index) => {
    const { count, reason } = skip;
    const within = slots.filter((slot) => isInEntry(slot, skip) && isOfKind(slot, reason, schedule));
    const certain = within.filter((slot) => ledger.getRun(slot) === undefined).length;
    // More than 100 are not counted.
    const isExtended = extendedSkip !== undefined && index === skips.length - 1;
    const maxCount = isExtended ? MAX_COUNTED - extendedSkip.count : MAX_COUNTED;
    const isRight = count >= Math.min(maxCount, certain) && count <= Math.min(maxCount, within.length);
    return findBrokenRules({
      [`an entry has the right count (${certain} to ${within.length}, not ${count})`]: isRight,
    });
  });
}
