/**
 * Computes the outcome of a reconcile for each due slot, and `status.recentSkips`, the list of slots without a run. A
 * slot without a run is a new skip if the new status is the first to record that the slot needs no run any more. Each
 * skip is therefore recorded exactly once, even after a crash.
 */
import type { Timetable } from 'kubernetes-cron-schedule';
import { findLatest, isAfter, parseTime } from '../../api/time.ts';
import { getCatchUpLimit, getWaitReason, type WaitReason } from '../../api/v1/concurrency.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseSlotJobName, toSlotJobName } from '../../api/v1/job-names.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import {
  hasSameReason,
  mergeAdjacentSkips,
  mergeSkips,
  parseRecentSkip,
  type RecentSkip,
  toSkipNote,
} from '../../api/v1/recent-lines.ts';
import { filterFailedStartKeys, hasReportedZeroDeadline, toWaitingKey } from '../../api/v1/reported-keys.ts';
import type { ValidTimetable } from '../../api/v1/timetable.ts';
import { findUnmetSlots, toSecondBefore } from '../../api/v1/unmet-slots.ts';
import { type ActionResults, addStartedRun, type Decision, findCreatedSlot, type StartResult } from './decide.ts';
import type { Facts } from './facts.ts';
import { getRecentLimit } from './history.ts';
import type { Run } from './job.ts';
import { findLastSuspendedTime, getDeadlineMs, getDroppedReason, hasLaterSlot } from './slots.ts';

export interface SlotOutcome {
  /** The newest slot for which the reconcile decides that no run starts. */
  readonly handledThrough?: Date | undefined;
  /** The reason that no run started for the unmet slots up to `handledThrough`. */
  readonly reason: SkipReason;
  /** The slot whose Job name is taken: a Job with this name has a different owner. */
  readonly takenSlot?: Date;
  /** The slot whose run remains due. */
  readonly waitingSlot?: Date;
  /** The content of the event about missed slots: the newest slot whose deadline has passed, or `TooMany`. */
  readonly missed?: Date | 'TooMany' | undefined;
}

/** The input from which the outcome of a reconcile is computed, after its API calls. */
export interface OutcomeInput {
  readonly facts: Facts;
  readonly decision: Decision;
  readonly results: ActionResults;
  /** The runs, including the run that the reconcile has started. */
  readonly runs: readonly Run[];
  readonly slots: SlotOutcome;
}

export function createOutcomeInput(facts: Facts, decision: Decision, results: ActionResults): OutcomeInput {
  const { started } = results;
  return {
    facts,
    decision,
    results,
    runs: addStartedRun(facts.runs, started),
    slots: computeSlotOutcome(facts, decision, started),
  };
}

function computeSlotOutcome(facts: Facts, decision: Decision, startResult: StartResult): SlotOutcome {
  const { cronJob, due, isResuming } = facts;
  const reason = getDroppedReason(cronJob.spec);
  const missed = isResuming ? undefined : due.expired.newest;
  switch (decision.kind) {
    case 'RunNow':
    case 'RecordFirst':
      return { reason };
    case 'Skip':
      return {
        handledThrough: computeHandledThrough(decision.through),
        reason: decision.reason,
        missed: decision.reason === 'TooManyMissedTimes' ? 'TooMany' : missed,
      };
    case 'NothingDue':
      return { handledThrough: computeHandledThrough(undefined), reason, missed };
    case 'Blocked':
      return createWaitingOutcome(getWaitReason(cronJob.spec), decision.slot);
    case 'Run':
      switch (startResult.kind) {
        case 'None':
        case 'Failed':
          return createWaitingOutcome('FailedCreate', decision.slot);
        case 'Created':
        case 'Adopted':
          return { handledThrough: findLatest(due.expired.newest, findExcludedAfter(decision.slot)), reason, missed };
        case 'Foreign':
          return { handledThrough: computeHandledThrough(decision.slot), reason, takenSlot: decision.slot, missed };
      }
  }

  /** The slots up to `lastSlot` need no run any more. */
  function computeHandledThrough(lastSlot: Date | undefined): Date | undefined {
    return findLatest(due.expired.newest, lastSlot, findExcludedAfter(lastSlot));
  }

  /** An excluded slot is skipped only after the slots before it, which may still need a run. */
  function findExcludedAfter(slot: Date | undefined): Date | undefined {
    return hasLaterSlot(due, slot) ? undefined : due.excluded;
  }

  /** The run of `waitingSlot` remains due. The dropped slots before `waitingSlot` are missed. */
  function createWaitingOutcome(waitingReason: WaitReason | 'FailedCreate', waitingSlot: Date): SlotOutcome {
    const skipReason = getCatchUpLimit(cronJob.spec) === undefined ? waitingReason : reason;
    return { handledThrough: findLatest(due.expired.newest, due.dropped), reason: skipReason, waitingSlot, missed };
  }
}

/** Returns the reason that the run of the slot waited, if an event has reported the wait. */
function findReportedWaitReason(
  slot: Date,
  { cronJob, status: { reported = [] } }: Pick<Facts, 'cronJob' | 'status'>,
): WaitReason | 'FailedCreate' | undefined {
  if (reported.length === 0) return undefined;
  const jobName = toSlotJobName(cronJob, slot);
  if (reported.includes(toWaitingKey(jobName))) return getWaitReason(cronJob.spec);
  return filterFailedStartKeys([jobName], reported).length > 0 ? 'FailedCreate' : undefined;
}

/** Consecutive slots that have no run, and that no earlier status has recorded. A count of 101 means more than 100. */
export interface NewSkip extends RecentSkip {
  readonly reason: SkipReason;
}

/**
 * Returns the new list, newest first, or `undefined` if it is unchanged.
 * @param skips The new skips, oldest first.
 */
export function computeRecentSkips(input: OutcomeInput, skips: readonly NewSkip[]): readonly RecentSkip[] | undefined {
  const { facts } = input;
  const { recentSkips: lines = [] } = facts.status;
  const limit = getRecentLimit(facts.cronJob.spec);
  if (skips.length === 0 && lines.length <= limit) return undefined;
  const storedSkips = lines.map(parseRecentSkip).filter((skip) => skip !== undefined);
  const [first, ...others] = skips;
  const [last, ...olderSkips] = storedSkips;
  const periodBetween = first && last && { from: last.lastTime, until: toSecondBefore(first.firstTime) };
  const canMerge = periodBetween && hasSameReason(last, first) && findSlotRuns(input, periodBetween).length === 0;
  const olderEntries = canMerge ? [mergeSkips(last, first), ...olderSkips] : storedSkips;
  return [...(canMerge ? others : skips).toReversed(), ...olderEntries].slice(0, limit);
}

/** All slots up to the later of the two times need no run any more. */
type HandledTimes = Pick<CronJobStatus, 'lastScheduleTime' | 'handledThrough'>;

function parseHandledTimes({ lastScheduleTime, handledThrough }: HandledTimes): readonly (Date | undefined)[] {
  return [parseTime(lastScheduleTime), parseTime(handledThrough)];
}

/** A period without runs. */
interface SkipPeriod {
  /** Exclusive. */
  readonly from: Date;
  /** Inclusive. */
  readonly until: Date;
  /** The run at the end of the period. */
  readonly run?: SlotRun | undefined;
}

interface SlotRun {
  readonly slot: Date;
  /** Absent if the Job was deleted. */
  readonly createdAt?: Date;
}

/**
 * Returns the slots that have no run and that no earlier status has recorded, oldest first.
 * @param status The status that the reconcile will store.
 */
export function computeNewSkips(input: OutcomeInput, status: HandledTimes): readonly NewSkip[] {
  const { parsed, status: earlierStatus, effectiveSchedule } = input.facts;
  const isSame = (name: keyof HandledTimes) => status[name] === earlierStatus[name];
  if (isSame('lastScheduleTime') && isSame('handledThrough')) return [];
  // With a starting deadline of 0, no run could start, so no slot is recorded as skipped.
  if (parsed.kind === 'invalid' || hasReportedZeroDeadline(earlierStatus.reported)) return [];
  const from = findLatest(effectiveSchedule.since, ...parseHandledTimes(earlierStatus));
  const until = findLatest(from, ...parseHandledTimes(status));
  return findSlotsWithoutRun(input, parsed, { from, until });
}

/** Limits the search after a long outage. */
const MAX_SEARCHED_SLOTS = 2000;

function findExcludedSlots(exclusions: ValidTimetable['exclusions'], { from, until }: SkipPeriod): readonly NewSkip[] {
  if (exclusions === undefined) return [];
  const { fullTimetable, find } = exclusions;
  const skips: NewSkip[] = [];
  let slot = fullTimetable.previous(until);
  for (let step = 0; step < MAX_SEARCHED_SLOTS && slot !== undefined && isAfter(slot, from); step++) {
    const exclusion = find(slot);
    const note = exclusion?.reason && toSkipNote(exclusion.reason);
    if (exclusion)
      skips.unshift({ firstTime: slot, lastTime: slot, count: 1, reason: 'Excluded', ...(note && { note }) });
    slot = fullTimetable.previous(toSecondBefore(slot));
  }
  return mergeAdjacentSkips(skips);
}

function findSlotsWithoutRun(
  input: OutcomeInput,
  { schedule, exclusions }: ValidTimetable,
  { from, until }: SkipPeriod,
): readonly NewSkip[] {
  const firstSlot = (exclusions?.fullTimetable ?? schedule).next(from);
  if (firstSlot === undefined || isAfter(firstSlot, until)) return [];
  // Usually, the period has only one slot, and the slot has a run.
  if (!isAfter(until, firstSlot) && input.runs.some(({ slot }) => slot?.getTime() === firstSlot.getTime())) return [];
  const runs = findSlotRuns(input, { from, until });
  const periods = runs.map(
    (run, index): SkipPeriod => ({ from: runs[index - 1]?.slot ?? from, until: toSecondBefore(run.slot), run }),
  );
  const lastPeriod: SkipPeriod = { from: runs.at(-1)?.slot ?? from, until };
  return [...periods, lastPeriod].flatMap((period) =>
    [...mergeAdjacentSkips(findSkips(period, schedule, input)), ...findExcludedSlots(exclusions, period)].toSorted(
      (left, right) => left.firstTime.getTime() - right.firstTime.getTime(),
    ),
  );
}

/** Returns the runs of slots in the period, oldest first. Some of the Jobs may be deleted. */
function findSlotRuns({ facts, runs: existingRuns }: OutcomeInput, { from, until }: SkipPeriod): readonly SlotRun[] {
  const { cronJob, status, recentRuns } = facts;
  const runs = [
    ...[status.lastScheduleTime, status.lastRun?.scheduledTime].map((time) => ({ slot: parseTime(time) })),
    ...recentRuns.map(({ scheduledTime }) => ({ slot: scheduledTime })),
    ...(status.active ?? []).map(({ name = '' }) => ({ slot: parseSlotJobName(cronJob, name) })),
    ...existingRuns,
  ];
  const runsInPeriod = runs.filter(
    (run): run is SlotRun => run.slot !== undefined && isAfter(run.slot, from) && !isAfter(run.slot, until),
  );
  // An existing run replaces the entry without a creation time.
  return [...new Map(runsInPeriod.map((run) => [run.slot.getTime(), run])).values()].toSorted(
    (left, right) => left.slot.getTime() - right.slot.getTime(),
  );
}

/** Returns the slots of the period, oldest first, each with the first reason that applies to its time. */
function findSkips(period: SkipPeriod, schedule: Timetable, input: OutcomeInput): readonly NewSkip[] {
  let { from } = period;
  return listSkipReasons(period, input).flatMap(([end, reason]) => {
    const until = end === undefined || isAfter(end, period.until) ? period.until : end;
    if (!isAfter(until, from)) return [];
    const skips = findSkipsWithReason(reason, schedule, { from, until }, input.facts);
    from = until;
    return skips;
  });
}

/** If an event has reported why the run of the first slot waits, the skip of that slot has the reported reason. */
function findSkipsWithReason(
  reason: SkipReason,
  schedule: Timetable,
  { from, until }: SkipPeriod,
  facts: Facts,
): readonly NewSkip[] {
  const firstTime = schedule.next(from);
  if (firstTime === undefined || isAfter(firstTime, until)) return [];
  const waitReason =
    reason === 'DeadlineExceeded' || reason === 'Superseded' ? findReportedWaitReason(firstTime, facts) : undefined;
  if (waitReason !== undefined) {
    const others = findSkipsWithReason(reason, schedule, { from: firstTime, until }, facts);
    return [{ firstTime, lastTime: firstTime, count: 1, reason: waitReason }, ...others];
  }
  const { newest, count } = findUnmetSlots(schedule, from, until, MAX_MISSED_SLOTS + 1);
  return [{ firstTime, lastTime: findLatest(firstTime, newest), count, reason }];
}

/** Reasons in the order of time. Each reason applies to the slots up to its end. The last reason has no end. */
type SkipReasons = readonly (readonly [end: Date | undefined, reason: SkipReason])[];

function listSkipReasons({ run }: SkipPeriod, { facts, decision, results, slots }: OutcomeInput): SkipReasons {
  const { pause, isResuming, now, cronJob, parsed } = facts;
  // An earlier reconcile may have started the run after the suspension and crashed, so the suspension is always one of the reasons.
  const lastSuspendedTime = findLastSuspendedTime(cronJob.spec, now);
  const stopReasons: SkipReasons = [
    ...(pause.resumedAt ? [[pause.resumedAt, 'Paused'] as const] : []),
    ...(lastSuspendedTime ? [[lastSuspendedTime, 'Suspended'] as const] : []),
  ];
  const takenSlot = run ? undefined : slots.takenSlot;
  const takenReasons: SkipReasons = takenSlot ? [[undefined, 'JobNameTaken']] : [];
  const beforeTakenSlot = takenSlot && toSecondBefore(takenSlot);
  if (isResuming) return [...stopReasons, [beforeTakenSlot, 'Suspended'], ...takenReasons];
  const deadline = getDeadlineMs(cronJob.spec);
  // The creation time comes from another clock, which may differ from the clock that found the deadlines passed.
  const isNew = run?.slot.getTime() === findCreatedSlot(decision, results.started)?.getTime();
  const startTime = run && !isNew ? run.createdAt : now;
  const lastInTime = deadline !== undefined && startTime && new Date(startTime.getTime() - deadline);
  const deadlineReasons: SkipReasons = lastInTime ? [[parsed.startedThrough(lastInTime), 'DeadlineExceeded']] : [];
  return [
    ...stopReasons,
    ...deadlineReasons,
    [beforeTakenSlot, run ? getDroppedReason(cronJob.spec) : slots.reason],
    ...takenReasons,
  ];
}
