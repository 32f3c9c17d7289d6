/**
 * What happens to the due slots in a pass: status, events and the time of the next pass follow from this one result. Also computes
 * `status.recentSkips`: why scheduled times were not run. Skips follow from the times that the status accounts for, the times that
 * the next status accounts for, and the runs in between. So each scheduled time is accounted for once, even after a crash or a lost
 * write.
 */
import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import { slotFromJobName, slotJobName } from '../../api/v1/job-names.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import { parseRecentSkip, type RecentSkip } from '../../api/v1/recent-lines.ts';
import { filterFailedStartKeys, isZeroDeadlineReported, waitingKey } from '../../api/v1/reported.ts';
import { unmetSlots } from '../../api/v1/unmet-slots.ts';
import { type ActionResults, type Decision, runsAfterStart, type StartResult } from './decide.ts';
import type { Facts } from './facts.ts';
import { getRecentLimit } from './history.ts';
import type { Run } from './job.ts';
import { deadlineMs, suspendedThrough } from './slots.ts';

export interface SlotOutcome {
  /** The newest slot that the pass handles without a run. */
  readonly handledThrough?: Date | undefined;
  /** Why the slots up to `handledThrough` that could still have started did not start. */
  readonly reason: SkipReason;
  /** The slot whose run cannot start because another owner has a Job of its name. */
  readonly taken?: Date;
  /** The slot that stays due. */
  readonly waiting?: Date;
  /** For an event: the newest slot with a passed deadline, or `TooMany`. */
  readonly missed?: Date | 'TooMany' | undefined;
}

/** A pass after its calls: its facts, decision and results, and what follows for runs and slots. */
export interface Pass {
  readonly facts: Facts;
  readonly decision: Decision;
  readonly results: ActionResults;
  /** The existing runs, including the run that the pass has started. */
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
  const { due, now, isResuming } = facts;
  const handledThrough = due.expired.newest;
  const missed = isResuming ? undefined : due.expired.newest;
  switch (decision.kind) {
    case 'RunNow':
    case 'RecordFirst':
      return { reason: 'Superseded' };
    case 'TooManyMissed':
      return { handledThrough: now, reason: 'TooManyMissedTimes', missed: 'TooMany' };
    case 'NothingDue':
      return { handledThrough, reason: 'Superseded', missed };
    case 'Blocked':
      return waitingOutcome('ConcurrencyPolicyForbid', decision.slot);
    case 'Run':
      switch (started.kind) {
        case 'None':
        case 'Failed':
          return waitingOutcome('FailedCreate', decision.slot);
        case 'Created':
        case 'Adopted':
          return { handledThrough, reason: 'Superseded', missed };
        case 'Foreign':
          return { handledThrough: decision.slot, reason: 'Superseded', taken: decision.slot, missed };
      }
  }

  /** The newest slot stays due; earlier slots are given up. */
  function waitingOutcome(reason: 'ConcurrencyPolicyForbid' | 'FailedCreate', waiting: Date): SlotOutcome {
    return { handledThrough: latest(handledThrough, due.unmet.before), reason, waiting, missed };
  }
}

/** What a slot waited for, according to the reported problems; `undefined` when no problem was reported. */
function findReportedWait(
  slot: Date,
  { cronJob, status: { reported = [] } }: Pick<Facts, 'cronJob' | 'status'>,
): 'ConcurrencyPolicyForbid' | 'FailedCreate' | undefined {
  if (reported.length === 0) return undefined;
  const jobName = slotJobName(cronJob, slot);
  if (reported.includes(waitingKey(jobName))) return 'ConcurrencyPolicyForbid';
  return filterFailedStartKeys([jobName], reported).length > 0 ? 'FailedCreate' : undefined;
}

/**
 * Consecutive scheduled times that a pass is the first to account for. The count stops at 101, because counting a long backlog
 * would take time.
 */
export interface NewSkip extends RecentSkip {
  readonly reason: SkipReason;
}

/**
 * The list after a pass, newest first; `undefined` when it is unchanged.
 * @param skips The skips of the pass, oldest first.
 */
export function recentSkipsAfter(pass: Pass, skips: readonly NewSkip[]): readonly RecentSkip[] | undefined {
  const { facts } = pass;
  const { recentSkips: lines = [] } = facts.status;
  const limit = getRecentLimit(facts.cronJob.spec);
  if (skips.length === 0 && lines.length <= limit) return undefined;
  const stored = lines.map(parseRecentSkip).filter((skip) => skip !== undefined);
  const [first, ...others] = skips;
  const [last, ...older] = stored;
  const isOne = first && last && first.reason === last.reason && !hasRunBetween(last, first, pass);
  const all = isOne ? [...others.toReversed(), mergeSkips(last, first), ...older] : [...skips.toReversed(), ...stored];
  return all.slice(0, limit);
}

/** Scheduled times up to the later of these times are accounted for. */
interface Times {
  readonly lastScheduleTime?: string | undefined;
  readonly handledThrough?: string | undefined;
}

function accountedTimes({ lastScheduleTime, handledThrough }: Times): readonly (Date | undefined)[] {
  return [parseTime(lastScheduleTime), parseTime(handledThrough)];
}

/** A part of time without runs. */
interface Span {
  /** Exclusive. */
  readonly from: Date;
  /** Inclusive. */
  readonly until: Date;
  /** The run that ends the span. */
  readonly run?: SlotRun | undefined;
}

interface SlotRun {
  readonly slot: Date;
  /** When its Job was created; `undefined` when the Job is gone. */
  readonly createdAt?: Date;
}

/**
 * The scheduled times that the previous status did not account for, oldest first.
 * @param status The status that the pass will store.
 */
export function computeNewSkips(pass: Pass, status: Times): readonly NewSkip[] {
  const { parsed, status: before, effectiveSchedule } = pass.facts;
  // The case in most passes.
  if (status.lastScheduleTime === before.lastScheduleTime && status.handledThrough === before.handledThrough) return [];
  // Slots that a deadline of 0 kept from running are void.
  if (parsed.kind === 'invalid' || isZeroDeadlineReported(before.reported)) return [];
  const from = latest(effectiveSchedule.since, ...accountedTimes(before));
  const until = latest(from, ...accountedTimes(status));
  const first = parsed.schedule.next(from);
  if (first === undefined || isAfter(first, until)) return [];
  // Usually a run was started for the only slot.
  if (!isAfter(until, first) && pass.runs.some(({ slot }) => slot?.getTime() === first.getTime())) return [];
  const runs = findSlotRuns(pass, { from, until });
  const spans = runs.map(
    (run, index): Span => ({ from: runs[index - 1]?.slot ?? from, until: secondBefore(run.slot), run }),
  );
  const last: Span = { from: runs.at(-1)?.slot ?? from, until };
  return [...spans, last].flatMap((span) => joinSkips(findSkips(span, parsed.schedule, pass)));
}

function hasRunBetween(older: RecentSkip, newer: RecentSkip, pass: Pass): boolean {
  return findSlotRuns(pass, { from: older.lastTime, until: secondBefore(newer.firstTime) }).length > 0;
}

/** Slots are whole seconds, so no slot lies in between. */
function secondBefore(slot: Date): Date {
  return new Date(slot.getTime() - 1000);
}

/** The slots of the span that ran, oldest first, including slots of deleted Jobs. */
function findSlotRuns({ facts, runs: existing }: Pass, { from, until }: Span): readonly SlotRun[] {
  const { cronJob, status, recentRuns } = facts;
  const runs = [
    ...[status.lastScheduleTime, status.lastRun?.scheduledTime].map((time) => ({ slot: parseTime(time) })),
    ...recentRuns.map(({ scheduledTime }) => ({ slot: scheduledTime })),
    ...(status.active ?? []).map(({ name = '' }) => ({ slot: slotFromJobName(cronJob, name) })),
    ...existing,
  ];
  const inSpan = runs.filter(
    (run): run is SlotRun => run.slot !== undefined && isAfter(run.slot, from) && !isAfter(run.slot, until),
  );
  // For an existing Job, the later entry replaces the one without its creation time.
  return [...new Map(inSpan.map((run) => [run.slot.getTime(), run])).values()].toSorted(
    (left, right) => left.slot.getTime() - right.slot.getTime(),
  );
}

/** Oldest first. */
function findSkips(span: Span, schedule: Schedule, pass: Pass): readonly NewSkip[] {
  let { from } = span;
  return listReasons(span, pass).flatMap(([limit, reason]) => {
    const until = limit === undefined || isAfter(limit, span.until) ? span.until : limit;
    if (!isAfter(until, from)) return [];
    const skips = findSkipsWithReason(reason, schedule, { from, until }, pass.facts);
    from = until;
    return skips;
  });
}

/**
 * All slots of the span, for one reason. The first slot may have waited for another reason: earlier slots were accounted for when
 * that reason was reported.
 */
function findSkipsWithReason(
  reason: SkipReason,
  schedule: Schedule,
  { from, until }: Span,
  facts: Facts,
): readonly NewSkip[] {
  const firstTime = schedule.next(from);
  if (firstTime === undefined || isAfter(firstTime, until)) return [];
  const waited =
    reason === 'DeadlineExceeded' || reason === 'Superseded' ? findReportedWait(firstTime, facts) : undefined;
  if (waited !== undefined) {
    const others = findSkipsWithReason(reason, schedule, { from: firstTime, until }, facts);
    return [{ firstTime, lastTime: firstTime, count: 1, reason: waited }, ...others];
  }
  const { newest, count } = unmetSlots(schedule, from, until, MAX_MISSED_SLOTS + 1);
  return [{ firstTime, lastTime: latest(firstTime, newest), count, reason }];
}

/** Reasons, oldest first, each with the newest time to which it may apply. The last reason has no limit. */
type Reasons = readonly (readonly [until: Date | undefined, reason: SkipReason])[];

function listReasons({ run }: Span, { facts, slots }: Pass): Reasons {
  const { pause, isResuming, now, cronJob } = facts;
  // Also after they are due: an earlier pass may have started the first run after them without storing its status.
  const suspended = suspendedThrough(cronJob.spec, now);
  const stopped: Reasons = [
    ...(pause.resumedAt ? [[pause.resumedAt, 'Paused'] as const] : []),
    ...(suspended ? [[suspended, 'Suspended'] as const] : []),
  ];
  const taken = run ? undefined : slots.taken;
  const takenReasons: Reasons = taken ? [[undefined, 'JobNameTaken']] : [];
  const untilTaken = taken && secondBefore(taken);
  if (isResuming) return [...stopped, [untilTaken, 'Suspended'], ...takenReasons];
  const deadline = deadlineMs(cronJob.spec);
  const judgedAt = run ? run.createdAt : now;
  const tooLate = deadline === undefined || !judgedAt ? undefined : new Date(judgedAt.getTime() - deadline);
  const expired: Reasons = tooLate ? [[tooLate, 'DeadlineExceeded']] : [];
  return [...stopped, ...expired, [untilTaken, run ? 'Superseded' : slots.reason], ...takenReasons];
}

/** Joins neighbours that have the same reason. */
function joinSkips(skips: readonly NewSkip[]): readonly NewSkip[] {
  const result: NewSkip[] = [];
  for (const skip of skips) {
    const last = result.at(-1);
    if (last?.reason === skip.reason) result.splice(-1, 1, mergeSkips(last, skip));
    else result.push(skip);
  }
  return result;
}

function mergeSkips<Skip extends RecentSkip>(older: Skip, newer: RecentSkip): Skip {
  const count = Math.min(older.count + newer.count, MAX_MISSED_SLOTS + 1);
  return { ...older, lastTime: newer.lastTime, count };
}
