/**
 * `status.recentSkips`: why scheduled times were not run. They follow from the times that the status accounts for, those that the
 * next one does, and the runs in between: so each scheduled time is accounted for once, whatever was lost or crashed before.
 */
import type { Schedule } from 'kubernetes-cron-schedule';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import { slotOfJobName } from '../../api/v1/job-names.ts';
import { formatRecentSkip, parseRecentSkip, type RecentSkip } from '../../api/v1/recent-lines.ts';
import { isZeroDeadlineReported } from '../../api/v1/reported.ts';
import type { SkipReason } from '../../api/v1/skip-reasons.ts';
import { unmetSlots } from '../../api/v1/unmet-slots.ts';
import type { Facts } from './facts.ts';
import { createdAt, type Run } from './job.ts';
import { recentLimitOf } from './recent-runs.ts';
import { type SlotOutcome, waitedFor } from './slot-outcome.ts';
import { deadlineMs, suspendedThrough } from './slots.ts';

/** The pass, and the status that it will store. */
export interface Accounted {
  readonly slots: SlotOutcome;
  /** With `lastScheduleTime` and `handledThrough`. */
  readonly status: Times;
  /** The runs that exist, with the one that the pass has started. */
  readonly seen: readonly Run[];
}

/** The lines after a pass, newest first; `undefined` when there are none. */
export function recentSkipsAfter(facts: Facts, accounted: Accounted): readonly string[] | undefined {
  const { status, effectiveSchedule, cronJob } = facts;
  const limit = recentLimitOf(cronJob.spec);
  const { recentSkips: lines = [] } = status;
  if (isAccounted(facts, accounted.status) && lines.length <= limit) return status.recentSkips;
  const from = latest(effectiveSchedule.since, ...accountedIn(status));
  const until = latest(from, ...accountedIn(accounted.status));
  const after = limit === 0 || !isAfter(until, from) ? lines : linesAfter({ from, until }, facts, accounted);
  return after.length === 0 || limit === 0 ? undefined : after.slice(0, limit);
}

/** Scheduled times up to the later of these are accounted for. */
interface Times {
  readonly lastScheduleTime?: string | undefined;
  readonly handledThrough?: string | undefined;
}

function accountedIn({ lastScheduleTime, handledThrough }: Times): readonly (Date | undefined)[] {
  return [parseTime(lastScheduleTime), parseTime(handledThrough)];
}

/** In most passes: no time is accounted for that was not before. */
function isAccounted({ status: before }: Facts, status: Times): boolean {
  return status.lastScheduleTime === before.lastScheduleTime && status.handledThrough === before.handledThrough;
}

/** A part of time without runs. */
interface Span {
  /** Exclusive. */
  readonly from: Date;
  /** Inclusive. */
  readonly until: Date;
  /** The run that follows it. */
  readonly run?: SlotRun | undefined;
}

interface SlotRun {
  readonly slot: Date;
  /** When its Job was created; `undefined` when the Job is gone. */
  readonly createdAt?: Date;
}

function linesAfter({ from, until }: Span, facts: Facts, accounted: Accounted): readonly string[] {
  const { parsed, status } = facts;
  const { recentSkips: lines = [], reported } = status;
  // Slots that a deadline of 0 kept from running are void.
  if (parsed.kind === 'invalid' || isZeroDeadlineReported(reported)) return lines;
  const first = parsed.schedule.next(from);
  if (first === undefined || isAfter(first, until)) return lines;
  // As a rule a run was started for the only slot.
  if (!isAfter(until, first) && hasRun(accounted.seen, first)) return lines;
  const runs = slotRuns(facts, accounted.seen, { from, until });
  const spans = runs.map(
    (run, index): Span => ({ from: runs[index - 1]?.slot ?? from, until: secondBefore(run.slot), run }),
  );
  const last: Span = { from: runs.at(-1)?.slot ?? from, until };
  const skips = [...spans, last].flatMap((span) => joined(skipsIn(span, parsed.schedule, { facts, accounted })));
  const ran = [parseTime(status.lastScheduleTime), ...runs.map(({ slot }) => slot)];
  return withStored(skips, lines, ran);
}

function hasRun(seen: readonly Run[], slot: Date): boolean {
  return seen.some((run) => run.slot?.getTime() === slot.getTime());
}

/** Slots are whole seconds, so nothing lies in between. */
function secondBefore(slot: Date): Date {
  return new Date(slot.getTime() - 1000);
}

/** The slots of the span that ran, oldest first, also those of Jobs that are gone or could not be read. */
function slotRuns(
  { cronJob, status, failedJobs, isIncomplete }: Facts,
  seen: readonly Run[],
  { from, until }: Span,
): readonly SlotRun[] {
  const active = (status.active ?? []).map(({ name = '' }) => name);
  const others = isIncomplete ? [...active, ...failedJobs] : active;
  const runs = [
    { slot: parseTime(status.lastRun?.scheduledTime) },
    ...others.map((name) => ({ slot: slotOfJobName(cronJob, name) })),
    ...seen.map((run) => ({ slot: run.slot, createdAt: createdAt(run) })),
  ];
  const inSpan = runs.filter(
    (run): run is SlotRun => run.slot !== undefined && isAfter(run.slot, from) && !isAfter(run.slot, until),
  );
  // Of a Job that exists, the later entry replaces the one without its creation time.
  return [...new Map(inSpan.map((run) => [run.slot.getTime(), run])).values()].toSorted(
    (left, right) => left.slot.getTime() - right.slot.getTime(),
  );
}

interface Pass {
  readonly facts: Facts;
  readonly accounted: Accounted;
}

/** Oldest first. */
function skipsIn(span: Span, schedule: Schedule, pass: Pass): readonly RecentSkip[] {
  let { from } = span;
  return reasonsIn(span, pass).flatMap(([limit, reason]) => {
    const until = limit === undefined || isAfter(limit, span.until) ? span.until : limit;
    if (!isAfter(until, from)) return [];
    const skips = skipsFor(reason, schedule, { from, until }, pass.facts);
    from = until;
    return skips;
  });
}

/** All slots of the span, for one reason; but the first may have waited for another: earlier ones were accounted for when it was reported. */
function skipsFor(reason: SkipReason, schedule: Schedule, { from, until }: Span, facts: Facts): readonly RecentSkip[] {
  const firstTime = schedule.next(from);
  if (firstTime === undefined || isAfter(firstTime, until)) return [];
  const waited = reason === 'DeadlineExceeded' || reason === 'Superseded' ? waitedFor(firstTime, facts) : undefined;
  if (waited !== undefined) {
    const others = skipsFor(reason, schedule, { from: firstTime, until }, facts);
    return [{ firstTime, lastTime: firstTime, count: 1, reason: waited }, ...others];
  }
  const { newest, count } = unmetSlots(schedule, from, until, MAX_MISSED_SLOTS + 1);
  return [{ firstTime, lastTime: latest(firstTime, newest), count, reason }];
}

function capped(count: number): number {
  return Math.min(count, MAX_MISSED_SLOTS + 1);
}

/** Reasons, each with the newest time that it may be of, oldest first. That of the last has no limit. */
type Reasons = readonly (readonly [until: Date | undefined, reason: SkipReason])[];

function reasonsIn({ run }: Span, { facts, accounted }: Pass): Reasons {
  const { pause, isResuming, now, cronJob } = facts;
  const { slots } = accounted;
  // Not only while they are due: an earlier pass may have started the first run after them, and not stored its status.
  const suspended = suspendedThrough(cronJob.spec, now);
  const stopped: Reasons = [
    ...(pause.resumedAt ? [[pause.resumedAt, 'Paused'] as const] : []),
    ...(suspended ? [[suspended, 'Suspended'] as const] : []),
  ];
  const taken = run ? undefined : slots.taken;
  const ofTaken: Reasons = taken ? [[undefined, 'JobNameTaken']] : [];
  const untilTaken = taken && secondBefore(taken);
  if (isResuming) return [...stopped, [untilTaken, 'Suspended'], ...ofTaken];
  const deadline = deadlineMs(cronJob.spec);
  const judgedAt = run ? run.createdAt : now;
  const tooLate = deadline === undefined || !judgedAt ? undefined : new Date(judgedAt.getTime() - deadline);
  const expired: Reasons = tooLate ? [[tooLate, 'DeadlineExceeded']] : [];
  return [...stopped, ...expired, [untilTaken, run ? 'Superseded' : slots.reason], ...ofTaken];
}

/** Neighbours for one reason become one. */
function joined(skips: readonly RecentSkip[]): readonly RecentSkip[] {
  const result: RecentSkip[] = [];
  for (const skip of skips) {
    const last = result.at(-1);
    if (last?.reason === skip.reason) result.splice(-1, 1, merged(last, skip));
    else result.push(skip);
  }
  return result;
}

function merged(older: RecentSkip, newer: RecentSkip): RecentSkip {
  return { ...older, lastTime: newer.lastTime, count: capped(older.count + newer.count) };
}

/**
 * @param skips Oldest first.
 * @param ran Slots that ran.
 */
function withStored(
  skips: readonly RecentSkip[],
  lines: readonly string[],
  ran: readonly (Date | undefined)[],
): readonly string[] {
  const [newest = '', ...older] = lines;
  const [first, ...others] = skips;
  const last = parseRecentSkip(newest);
  const isRunBetween = (slot: Date | undefined) =>
    slot && last && first && isAfter(slot, last.lastTime) && isAfter(first.firstTime, slot);
  const isOne = last && first && last.reason === first.reason && !ran.some(isRunBetween);
  const all = isOne ? [merged(last, first), ...others] : skips;
  return [...all.map(formatRecentSkip).toReversed(), ...(isOne ? older : lines)];
}
