/** Every slot has one run or one skip. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseRecentSkip, type RecentSkip } from '../../api/v1/recent-lines.ts';
import type { Slots } from './calendar.ts';
import { broken, deadlineMsOf, instantOf, listLimitOf, newest, storedFloor, voidThrough } from './facts.ts';
import type { Effect } from './faults.ts';
import type { StatusWrite } from './settled-rules.ts';
import { conditionOf } from './suspension-rules.ts';

/** When there are more slots than this, the rules look only at the first and the last one. */
const MANY = 400;
const MOST_COUNTED = 101;

/** Slots that a write has added. */
interface Added {
  readonly skips: readonly RecentSkip[];
  /** The newest line before the write, when the write has extended it. */
  readonly grown?: RecentSkip | undefined;
  /** Whether no older line was dropped from a full list. */
  readonly isWhole: boolean;
}

export function recentSkips(write: StatusWrite, schedule: Slots | undefined): readonly string[] {
  const { base, status, note } = write;
  const limit = listLimitOf(base);
  const lines = status.recentSkips ?? [];
  const [before, after] = [skipsIn(base.status), skipsIn(status)];
  for (const { reason } of after) note(`skipped: ${reason}` as Effect);
  const added = addedBetween(before, after);
  if (limit === 0) return broken({ 'no skip is listed where none is wanted': lines.length === 0 });
  const floor = newest(storedFloor(base), instantOf(status.effectiveSchedule?.since));
  const span = { from: floor, until: newest(storedFloor({ status } as typeof base)) };
  const isVoid = schedule === undefined || hadZeroDeadline(write);
  return [
    ...broken({
      'every line of recentSkips can be read': after.length === lines.length,
      'recentSkips is as long as its limit at most': lines.length <= limit,
      'skips are listed newest first': after.every(
        (skip, index) => index === 0 || skip.lastTime < (after[index - 1]?.firstTime ?? skip.lastTime),
      ),
      'no void slot is listed': !isVoid || added.skips.length === 0,
    }),
    ...(isVoid ? [] : accounts(write, schedule, { ...span, added, isFull: lines.length >= limit })),
  ];
}

/** Time of the computation of the newest status, whether or not it could be stored. */
function hadZeroDeadline({ base, ledger }: StatusWrite): boolean {
  // With spec.suspend as well, the slots were skipped by the suspension, and are listed as such.
  const wasSuspended = conditionOf(base.status, 'Available')?.reason === 'Suspended' && !base.status?.suspendedUntil;
  if (wasSuspended) return false;
  const isOfThisSpec = base.status?.observedGeneration === base.metadata.generation;
  return (isOfThisSpec ? deadlineMsOf(base) : ledger.deadlineAtWrite) === 0;
}

function skipsIn(status: CronJobStatus = {}): readonly RecentSkip[] {
  return (status.recentSkips ?? []).map(parseRecentSkip).filter((skip) => skip !== undefined);
}

function addedBetween(before: readonly RecentSkip[], after: readonly RecentSkip[]): Added {
  const [newestBefore] = before;
  const index = after.findIndex((skip) => isSame(skip, newestBefore));
  if (newestBefore === undefined || index < 0) return { skips: after, isWhole: before.length === 0 };
  const kept = after[index];
  const isGrown = kept !== undefined && kept.lastTime > newestBefore.lastTime;
  const grown = isGrown
    ? [{ ...kept, firstTime: new Date(newestBefore.lastTime.getTime() + 1000), count: kept.count - newestBefore.count }]
    : [];
  return { skips: [...after.slice(0, index), ...grown], grown: isGrown ? newestBefore : undefined, isWhole: true };
}

function isSame(left: RecentSkip, right: RecentSkip | undefined): boolean {
  return left.reason === right?.reason && left.firstTime.getTime() === right.firstTime.getTime();
}

interface Span {
  readonly from: Date;
  readonly until: Date;
  readonly added: Added;
  readonly isFull: boolean;
}

function accounts(write: StatusWrite, schedule: Slots, { from, until, added, isFull }: Span): readonly string[] {
  const { pass, ledger } = write;
  const slots = until > from ? schedule.between(from, until, { limit: MANY }) : [];
  const isLong = slots.length >= MANY;
  const ran = (slot: Date) => {
    const run = ledger.runOfSlot(slot);
    return run !== undefined && (pass.hasSeen(run.job.metadata.uid) || ledger.book.listed.has(run.job.metadata.name));
  };
  const mayHaveRun = (slot: Date) => ledger.runOfSlot(slot) !== undefined;
  const inSkip = (slot: Date) => added.skips.some(({ firstTime, lastTime }) => slot >= firstTime && slot <= lastTime);
  const open = slots.filter((slot) => !mayHaveRun(slot) && !inSkip(slot));
  const isComplete =
    (added.isWhole && !isFull) || added.skips.length < 1 || (added.isWhole && added.grown !== undefined);
  return [
    ...broken({
      [`every slot has run or is listed as skipped (${describe(open)})`]: open.length === 0 || !isComplete,
      [`no slot that ran is listed as skipped (${describe(slots.filter((slot) => ran(slot) && inSkip(slot)))})`]:
        !slots.some((slot) => ran(slot) && inSkip(slot)),
      'only slots that are new to the status are added to the skips': added.skips.every(
        ({ firstTime, lastTime }) => (firstTime > from || added.grown !== undefined) && lastTime <= until,
      ),
      'an entry of skips begins and ends with a slot': added.skips.every(
        ({ firstTime, lastTime }) =>
          isSlot(schedule, lastTime) && (added.grown !== undefined || isSlot(schedule, firstTime)),
      ),
      'neighbours of one reason are one entry': added.skips.every((skip, index) => {
        const older = added.skips[index + 1];
        return older?.reason !== skip.reason || runsBetween(write, older.lastTime, skip.firstTime);
      }),
      'no run lies between the slots of one entry':
        added.grown === undefined ||
        !runsBetween(write, added.grown.lastTime, firstOf(slots, added.grown.lastTime, mayHaveRun)),
    }),
    ...(isLong ? [] : counts(write, slots, added)),
    ...added.skips.flatMap((skip) => reason(skip, write)),
  ];
}

function describe(slots: readonly Date[]): string {
  return slots
    .slice(0, 3)
    .map((slot) => slot.toISOString())
    .join();
}

function isSlot(schedule: Slots, time: Date): boolean {
  return schedule.previous(time)?.getTime() === time.getTime();
}

function firstOf(slots: readonly Date[], after: Date, mayHaveRun: (slot: Date) => boolean): Date {
  return slots.find((slot) => slot > after && !mayHaveRun(slot)) ?? after;
}

/** Whether the status has a run of a slot in between. */
function runsBetween({ ledger, pass }: StatusWrite, after: Date, before: Date): boolean {
  return [...ledger.runs.values()].some(
    ({ slot, job }) =>
      slot !== undefined &&
      slot > after &&
      slot < before &&
      (ledger.book.listed.has(job.metadata.name) || pass.hasSeen(job.metadata.uid)),
  );
}

function counts({ ledger }: StatusWrite, slots: readonly Date[], { skips, grown }: Added): readonly string[] {
  return skips.flatMap(({ firstTime, lastTime, count }, index) => {
    const within = slots.filter((slot) => slot >= firstTime && slot <= lastTime);
    const sure = within.filter((slot) => ledger.runOfSlot(slot) === undefined).length;
    // More than 100 are not counted.
    const isOfGrown = grown !== undefined && index === skips.length - 1;
    const room = isOfGrown ? MOST_COUNTED - grown.count : MOST_COUNTED;
    const isRight = count >= Math.min(room, sure) && count <= Math.min(room, within.length);
    return broken({ [`an entry counts its slots (${sure} to ${within.length}, not ${count})`]: isRight });
  });
}

const WAITED = ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken'];

/** Checks the reason as far as possible without the knowledge of the manager. */
function reason({ reason: why, lastTime }: RecentSkip, write: StatusWrite): readonly string[] {
  const { base, status, ledger, now } = write;
  const wasSuspended = conditionOf(base.status, 'Available')?.reason === 'Suspended';
  const isVoid = lastTime <= voidThrough(base, now);
  const isResumed = base.status?.paused !== undefined && status.paused === undefined;
  const deadlineMs = deadlineMsOf(base);
  const isRight = () => {
    if (WAITED.includes(why)) return true;
    switch (why) {
      case 'Suspended':
        return isVoid || wasSuspended;
      case 'Paused':
        return isResumed;
      case 'DeadlineExceeded':
        return deadlineMs !== undefined && lastTime.getTime() <= now.getTime() - deadlineMs;
      case 'Superseded':
        return ledger.newestSlot > lastTime || newest(storedFloor({ status } as typeof base)) > lastTime;
      case 'TooManyMissedTimes':
        return true;
      default:
        return false;
    }
  };
  return broken({
    [`a slot is skipped for a reason that holds (${why} ${lastTime.toISOString()})`]: isRight(),
    [`a slot of a suspension is skipped for that (${why})`]: !isVoid || why === 'Suspended' || why === 'Paused',
  });
}
