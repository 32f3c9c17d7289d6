/**
 * Computes what a pass does with each due slot, and `status.recentSkips`, which lists slots without a run. A slot is a new skip if
 * it has no run and the new status is the first to record it as handled. Each skip is therefore recorded exactly once, even after a
 * crash.
 */
import type { Timetable } from 'kubernetes-cron-schedule';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import { catchUpLimit, type WaitReason, waitReason } from '../../api/v1/concurrency.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseSlotJobName, toSlotJobName } from '../../api/v1/job-names.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import {
  hasSameReason,
  joinSkips,
  mergeSkips,
  parseRecentSkip,
  type RecentSkip,
  toSkipNote,
} from '../../api/v1/recent-lines.ts';
import { filterFailedStartKeys, hasReportedZeroDeadline, toWaitingKey } from '../../api/v1/reported.ts';
import type { ValidTimetable } from '../../api/v1/timetable.ts';
import { findUnmetSlots, toSecondBefore } from '../../api/v1/unmet-slots.ts';
import { type ActionResults, type Decision, runsAfterStart, type StartResult } from './decide.ts';
import type { Facts } from './facts.ts';
import { getRecentLimit } from './history.ts';
import type { Run } from './job.ts';
import { deadlineMs, droppedReason, hasLaterSlot, suspendedThrough } from './slots.ts';

export interface SlotOutcome {
  /** The newest slot that the pass handles without a run. */
  readonly handledThrough?: Date | undefined;
  /** The reason that no run started for the unmet slots up to `handledThrough`. */
  readonly reason: SkipReason;
  /** The slot whose Job name is taken: a Job with this name has a different owner. */
  readonly takenSlot?: Date;
  /** The slot that stays due. */
  readonly waitingSlot?: Date;
  /** What the event about missed slots reports: the newest slot whose deadline has passed, or `TooMany`. */
  readonly missed?: Date | 'TooMany' | undefined;
}

/** A pass after its API calls. */
export interface Pass {
  readonly facts: Facts;
  readonly decision: Decision;
  readonly results: ActionResults;
  /** The runs, including the run that the pass has started. */
  readonly runs: readonly Run[];
  readonly slots: SlotOutcome;
}

export function passAfter(facts: Facts, decision: Decision, results: ActionResults): Pass {
  const { started } = results;
  return {
    facts,
    decision,
    results,
    runs: runsAfterStart(facts.runs, started),
    slots: slotOutcome(facts, decision, started),
  };
}

function slotOutcome(facts: Facts, decision: Decision, started: StartResult): SlotOutcome {
  const { cronJob, due, isResuming } = facts;
  const reason = droppedReason(cronJob.spec);
  const missed = isResuming ? undefined : due.expired.newest;
  switch (decision.kind) {
    case 'RunNow':
    case 'RecordFirst':
      return { reason };
    case 'Skip':
      return {
        handledThrough: handledWith(decision.through),
        reason: decision.reason,
        missed: decision.reason === 'TooManyMissedTimes' ? 'TooMany' : missed,
      };
    case 'NothingDue':
      return { handledThrough: handledWith(undefined), reason, missed };
    case 'Blocked':
      return waitingOutcome(waitReason(cronJob.spec), decision.slot);
    case 'Run':
      switch (started.kind) {
        case 'None':
        case 'Failed':
          return waitingOutcome('FailedCreate', decision.slot);
        case 'Created':
        case 'Adopted':
          return { handledThrough: latest(due.expired.newest, excludedAfter(decision.slot)), reason, missed };
        case 'Foreign':
          return { handledThrough: handledWith(decision.slot), reason, takenSlot: decision.slot, missed };
      }
  }

  /** The slots up to `through` are handled. */
  function handledWith(through: Date | undefined): Date | undefined {
    return latest(due.expired.newest, through, excludedAfter(through));
  }

  /** An excluded slot is handled only after the unmet slots before it. */
  function excludedAfter(through: Date | undefined): Date | undefined {
    return hasLaterSlot(due, through) ? undefined : due.excluded;
  }

  /** The slot stays due. The dropped slots before it are missed. */
  function waitingOutcome(waitingReason: WaitReason | 'FailedCreate', waitingSlot: Date): SlotOutcome {
    const skipReason = catchUpLimit(cronJob.spec) === undefined ? waitingReason : reason;
    return { handledThrough: latest(due.expired.newest, due.dropped), reason: skipReason, waitingSlot, missed };
  }
}

/** Returns the reason that the run of the slot waited, if an event has reported the wait. */
function findReportedWait(
  slot: Date,
  { cronJob, status: { reported = [] } }: Pick<Facts, 'cronJob' | 'status'>,
): WaitReason | 'FailedCreate' | undefined {
  if (reported.length === 0) return undefined;
  const jobName = toSlotJobName(cronJob, slot);
  if (reported.includes(toWaitingKey(jobName))) return waitReason(cronJob.spec);
  return filterFailedStartKeys([jobName], reported).length > 0 ? 'FailedCreate' : undefined;
}

/** Consecutive slots without a run that no earlier status has recorded. A count of 101 means more than 100. */
export interface NewSkip extends RecentSkip {
  readonly reason: SkipReason;
}

/**
 * Returns the new list, newest first, or `undefined` if it is unchanged.
 * @param skips The new skips, oldest first.
 */
export function recentSkipsAfter(pass: Pass, skips: readonly NewSkip[]): readonly RecentSkip[] | undefined {
  const { facts } = pass;
  const { recentSkips: lines = [] } = facts.status;
  const limit = getRecentLimit(facts.cronJob.spec);
  if (skips.length === 0 && lines.length <= limit) return undefined;
  const stored = lines.map(parseRecentSkip).filter((skip) => skip !== undefined);
  const [first, ...others] = skips;
  const [last, ...older] = stored;
  const between = first && last && { from: last.lastTime, until: toSecondBefore(first.firstTime) };
  const canMerge = between && hasSameReason(last, first) && findSlotRuns(pass, between).length === 0;
  const tail = canMerge ? [mergeSkips(last, first), ...older] : stored;
  return [...(canMerge ? others : skips).toReversed(), ...tail].slice(0, limit);
}

/** All slots up to the later of the two times are handled. */
type HandledTimes = Pick<CronJobStatus, 'lastScheduleTime' | 'handledThrough'>;

function parseHandledTimes({ lastScheduleTime, handledThrough }: HandledTimes): readonly (Date | undefined)[] {
  return [parseTime(lastScheduleTime), parseTime(handledThrough)];
}

/** A period without runs. */
interface Span {
  /** Exclusive. */
  readonly from: Date;
  /** Inclusive. */
  readonly until: Date;
  /** The run at the end of the span. */
  readonly run?: SlotRun | undefined;
}

interface SlotRun {
  readonly slot: Date;
  /** Absent if the Job was deleted. */
  readonly createdAt?: Date;
}

/**
 * Returns the slots without a run that no earlier status has recorded, oldest first.
 * @param status The status that the pass will store.
 */
export function computeNewSkips(pass: Pass, status: HandledTimes): readonly NewSkip[] {
  const { parsed, status: before, effectiveSchedule } = pass.facts;
  if (status.lastScheduleTime === before.lastScheduleTime && status.handledThrough === before.handledThrough) return [];
  // With a deadline of 0, no run could start.
  if (parsed.kind === 'invalid' || hasReportedZeroDeadline(before.reported)) return [];
  const from = latest(effectiveSchedule.since, ...parseHandledTimes(before));
  const until = latest(from, ...parseHandledTimes(status));
  return findSlotsWithoutRun(pass, parsed, { from, until });
}

/** Limits the search after a long outage. */
const MAX_EXCLUDED_STEPS = 2000;

function findExcludedSlots(exclusions: ValidTimetable['exclusions'], { from, until }: Span): readonly NewSkip[] {
  if (exclusions === undefined) return [];
  const { fullTimetable, find } = exclusions;
  const skips: NewSkip[] = [];
  let slot = fullTimetable.previous(until);
  for (let step = 0; step < MAX_EXCLUDED_STEPS && slot !== undefined && isAfter(slot, from); step++) {
    const exclusion = find(slot);
    const note = exclusion?.reason && toSkipNote(exclusion.reason);
    if (exclusion)
      skips.unshift({ firstTime: slot, lastTime: slot, count: 1, reason: 'Excluded', ...(note && { note }) });
    slot = fullTimetable.previous(toSecondBefore(slot));
  }
  return joinSkips(skips);
}

function findSlotsWithoutRun(
  pass: Pass,
  { schedule, exclusions }: ValidTimetable,
  { from, until }: Span,
): readonly NewSkip[] {
  const firstSlot = (exclusions?.fullTimetable ?? schedule).next(from);
  if (firstSlot === undefined || isAfter(firstSlot, until)) return [];
  // In the usual case, the only slot has a run.
  if (!isAfter(until, firstSlot) && pass.runs.some(({ slot }) => slot?.getTime() === firstSlot.getTime())) return [];
  const runs = findSlotRuns(pass, { from, until });
  const spans = runs.map(
    (run, index): Span => ({ from: runs[index - 1]?.slot ?? from, until: toSecondBefore(run.slot), run }),
  );
  const lastSpan: Span = { from: runs.at(-1)?.slot ?? from, until };
  return [...spans, lastSpan].flatMap((span) =>
    [...joinSkips(findSkips(span, schedule, pass)), ...findExcludedSlots(exclusions, span)].toSorted(
      (left, right) => left.firstTime.getTime() - right.firstTime.getTime(),
    ),
  );
}

/** Returns the runs of slots in the span, oldest first. Some of the Jobs may be deleted. */
function findSlotRuns({ facts, runs: existing }: Pass, { from, until }: Span): readonly SlotRun[] {
  const { cronJob, status, recentRuns } = facts;
  const runs = [
    ...[status.lastScheduleTime, status.lastRun?.scheduledTime].map((time) => ({ slot: parseTime(time) })),
    ...recentRuns.map(({ scheduledTime }) => ({ slot: scheduledTime })),
    ...(status.active ?? []).map(({ name = '' }) => ({ slot: parseSlotJobName(cronJob, name) })),
    ...existing,
  ];
  const inSpan = runs.filter(
    (run): run is SlotRun => run.slot !== undefined && isAfter(run.slot, from) && !isAfter(run.slot, until),
  );
  // An existing run replaces the entry without a creation time.
  return [...new Map(inSpan.map((run) => [run.slot.getTime(), run])).values()].toSorted(
    (left, right) => left.slot.getTime() - right.slot.getTime(),
  );
}

/** Returns the slots of the span, oldest first, each with the first reason that applies to its time. */
function findSkips(span: Span, schedule: Timetable, pass: Pass): readonly NewSkip[] {
  let { from } = span;
  return listReasons(span, pass).flatMap(([end, reason]) => {
    const until = end === undefined || isAfter(end, span.until) ? span.until : end;
    if (!isAfter(until, from)) return [];
    const skips = findSkipsWithReason(reason, schedule, { from, until }, pass.facts);
    from = until;
    return skips;
  });
}

/** If an event has reported why the run of the first slot waits, the skip of that slot has the reported reason. */
function findSkipsWithReason(
  reason: SkipReason,
  schedule: Timetable,
  { from, until }: Span,
  facts: Facts,
): readonly NewSkip[] {
  const firstTime = schedule.next(from);
  if (firstTime === undefined || isAfter(firstTime, until)) return [];
  const waitReason =
    reason === 'DeadlineExceeded' || reason === 'Superseded' ? findReportedWait(firstTime, facts) : undefined;
  if (waitReason !== undefined) {
    const others = findSkipsWithReason(reason, schedule, { from: firstTime, until }, facts);
    return [{ firstTime, lastTime: firstTime, count: 1, reason: waitReason }, ...others];
  }
  const { newest, count } = findUnmetSlots(schedule, from, until, MAX_MISSED_SLOTS + 1);
  return [{ firstTime, lastTime: latest(firstTime, newest), count, reason }];
}

/** Reasons in the order of time. Each reason applies to the slots up to its end. The last reason has no end. */
type Reasons = readonly (readonly [end: Date | undefined, reason: SkipReason])[];

function listReasons({ run }: Span, { facts, slots }: Pass): Reasons {
  const { pause, isResuming, now, cronJob, parsed } = facts;
  // An earlier pass may have started the run after the suspension and crashed, so the suspension is always one of the reasons.
  const lastSuspendedTime = suspendedThrough(cronJob.spec, now);
  const stopReasons: Reasons = [
    ...(pause.resumedAt ? [[pause.resumedAt, 'Paused'] as const] : []),
    ...(lastSuspendedTime ? [[lastSuspendedTime, 'Suspended'] as const] : []),
  ];
  const takenSlot = run ? undefined : slots.takenSlot;
  const takenReasons: Reasons = takenSlot ? [[undefined, 'JobNameTaken']] : [];
  const beforeTakenSlot = takenSlot && toSecondBefore(takenSlot);
  if (isResuming) return [...stopReasons, [beforeTakenSlot, 'Suspended'], ...takenReasons];
  const deadline = deadlineMs(cronJob.spec);
  const startTime = run ? run.createdAt : now;
  const lastInTime = deadline !== undefined && startTime && new Date(startTime.getTime() - deadline);
  const deadlineReasons: Reasons = lastInTime ? [[parsed.startedThrough(lastInTime), 'DeadlineExceeded']] : [];
  return [
    ...stopReasons,
    ...deadlineReasons,
    [beforeTakenSlot, run ? droppedReason(cronJob.spec) : slots.reason],
    ...takenReasons,
  ];
}
