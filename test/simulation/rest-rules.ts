/** Rules for a CronJob when all possible work is done. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { Slots } from './calendar.ts';
import {
  broken,
  deadlineMsOf,
  endingOf,
  instantOf,
  isActive,
  isGoing,
  isSuspendedAt,
  newest,
  nextAfter,
  sameInstant,
  slotOf,
  storedFloor,
  voidThrough,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import { conditionOf, overdueAt } from './suspension-rules.ts';

/** The real state of the world for one CronJob. */
export interface Rest {
  readonly cronJob: CronJob;
  readonly jobs: readonly Job[];
  readonly ledger: Ledger;
  readonly now: Date;
  /** Whether Jobs could be deleted for a long time. */
  readonly isHistoryDue: boolean;
  /** Jobs that should have been ended because they have not started. */
  readonly overlong: readonly Job[];
}

/** A pass ends a moment after the time that it handles. */
const MARGIN_MS = 3000;

/** Returns the broken rules. */
export function brokenAtRest(rest: Rest): readonly string[] {
  const { cronJob, ledger, now } = rest;
  const { spec, status, metadata } = cronJob;
  if (isGoing(cronJob)) return [];
  const isFiring = !isSuspendedAt(spec, now) && deadlineMsOf(cronJob) !== 0 && status?.paused === undefined;
  const schedule = isFiring ? ledger.schedule(cronJob, now) : undefined;
  const isOfNewestSpec = status?.observedGeneration === metadata.generation;
  return [
    ...broken({ 'the status is that of the newest spec': isPruned(rest, 'observedGeneration') || isOfNewestSpec }),
    ...activity(rest),
    ...history(rest),
    ...results(rest),
    ...lastRun(rest),
    ...lostValue(rest),
    ...(ledger.wasPruned ? [] : answers(rest)),
    ...(schedule === undefined ? [] : lostSlots(rest, schedule)),
  ];
}

/** The server has dropped one of these fields. Rules that depend on them cannot be checked. */
function isPruned({ ledger }: Rest, ...fields: readonly (keyof CronJobStatus)[]): boolean {
  return fields.some((field) => ledger.pruned.has(field));
}

function activity(rest: Rest): readonly string[] {
  const { status } = rest.cronJob;
  const active = rest.jobs.filter(isActive).map(({ metadata }) => metadata.uid);
  const named = (status?.active ?? []).map(({ uid = '' }) => uid);
  const isExpecting = rest.cronJob.spec.expectSuccessWithinSeconds !== undefined;
  const expected = `Available,Degraded,${isExpecting ? 'Overdue,' : ''}Progressing`;
  const conditions = (status?.conditions?.map(({ type }) => type) ?? []).toSorted().join();
  return broken({
    'status.active names the Jobs that are not finished': active.toSorted().join() === named.toSorted().join(),
    'the conditions are there': isPruned(rest, 'conditions') || conditions === expected,
  });
}

/** Rules for the condition Overdue, suspensions, the resume annotation and start timeouts. */
function answers({ cronJob, overlong, now }: Rest): readonly string[] {
  const { spec, status = {}, metadata } = cronJob;
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  const at = overdueAt(spec.expectSuccessWithinSeconds, status, now);
  const isClose = at !== undefined && Math.abs(at.getTime() - now.getTime()) < MARGIN_MS;
  const isOverdue = at !== undefined && at <= now && !isSuspendedAt(spec, now);
  const lately = new Date(now.getTime() - MARGIN_MS);
  const isSuspensionClear = isSuspendedAt(spec, now) === isSuspendedAt(spec, lately);
  const shownSuspended = conditionOf(status, 'Available')?.reason === 'Suspended';
  return broken({
    'Overdue is True exactly when a success is overdue':
      isClose || !isSuspensionClear || (conditionOf(status, 'Overdue')?.status === 'True') === isOverdue,
    'a suspension that is over is shown to be': !isSuspensionClear || !shownSuspended || isSuspendedAt(spec, now),
    'every value of the resume annotation is noted': resume === undefined || resume === status.lastResume,
    [`a Job that has not started is ended (${overlong.map((job) => job.metadata.name).join()})`]: overlong.length === 0,
  });
}

/** A Job is deleted when the status has its result, and its run as settled: this needs a complete status. */
function history(rest: Rest): readonly string[] {
  const { spec } = rest.cronJob;
  const isFree = !rest.isHistoryDue || rest.ledger.pruned.size > 0;
  const kept = (kind: 'Succeeded' | 'Failed') =>
    rest.jobs.filter((job) => !isGoing(job) && endingOf(job).kind === kind && !isAhead(job, rest.now)).length;
  return broken({
    'no more successful Jobs are left than the limit': isFree || kept('Succeeded') <= spec.successfulJobsHistoryLimit,
    'no more failed Jobs are left than the limit': isFree || kept('Failed') <= spec.failedJobsHistoryLimit,
  });
}

/** A manager whose clock was ahead has started it. Until its slot comes, no status shows that it ran. */
function isAhead(job: Job, now: Date): boolean {
  const slot = slotOf(job);
  return slot !== undefined && slot > now;
}

function results(rest: Rest): readonly string[] {
  const { status } = rest.cronJob;
  const ends = rest.jobs.map((job) => endingOf(job)).filter((ending) => ending.kind !== 'Active');
  const isKnown = (kind: 'Succeeded' | 'Failed', field: 'lastSuccessfulTime' | 'lastFailureTime') =>
    isPruned(rest, field) || ends.every((ending) => ending.kind !== kind || ending.at <= (status?.[field] ?? ''));
  const slots = rest.jobs.map((job) => newest(slotOf(job)));
  const newestSlot = newest(...slots.filter((slot) => slot <= rest.now));
  return broken({
    'lastSuccessfulTime knows every success': isKnown('Succeeded', 'lastSuccessfulTime'),
    'lastFailureTime knows every failure': isKnown('Failed', 'lastFailureTime'),
    'lastScheduleTime knows every Job': newestSlot <= newest(instantOf(status?.lastScheduleTime)),
  });
}

function lastRun(rest: Rest): readonly string[] {
  if (rest.ledger.isLastRunForgotten) return [];
  const { status } = rest.cronJob;
  const last = status?.lastRun;
  const job = rest.jobs.find(({ metadata }) => metadata.name === last?.jobName);
  const ending = job && endingOf(job).kind;
  const hasOther = [...rest.ledger.runs.values()].some(({ slot }) => slot === undefined);
  // Another clock has started it, or the run of lastScheduleTime.
  const slot = newest(instantOf(status?.lastScheduleTime));
  const { creationTimestamp = '' } = rest.ledger.runOfSlot(slot)?.job.metadata ?? {};
  const isAhead = newest(instantOf(last?.scheduledTime)) > rest.now || new Date(creationTimestamp) < slot;
  return broken({
    'lastRun is Running while its Job is': (ending === 'Active') === (last?.result === 'Running'),
    'lastRun has the result of its Job': ending === undefined || ending === 'Active' || ending === last?.result,
    'lastRun is the run of lastScheduleTime': hasOther || isAhead || last?.scheduledTime === status?.lastScheduleTime,
  });
}

/** The newest value of the run-now annotation has been handled, or waits. */
function lostValue(rest: Rest): readonly string[] {
  if (isPruned(rest, 'lastManualRun')) return [];
  const { metadata, spec, status } = rest.cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  const isServed = value === undefined || value === status?.lastManualRun;
  const mayWait = spec.concurrencyPolicy === 'Forbid' && rest.jobs.some(isActive);
  return broken({ 'a run by hand is not lost': isServed || mayWait });
}

function lostSlots(rest: Rest, schedule: Slots): readonly string[] {
  if (isPruned(rest, 'handledThrough', 'nextScheduleTime', 'effectiveSchedule')) return [];
  const { cronJob, jobs, ledger, now } = rest;
  if (ledger.isPauseUnknown(cronJob)) return [];
  const { spec, status } = cronJob;
  const deadlineMs = deadlineMsOf(cronJob) ?? Number.POSITIVE_INFINITY;
  const since = ledger.since(cronJob, now);
  const slot = schedule.previous(now) ?? since;
  const isSettled = slot <= newest(since, ledger.newestSlot, storedFloor(cronJob), voidThrough(cronJob, now));
  const isLate = slot.getTime() <= now.getTime() - deadlineMs;
  const mayWait = spec.concurrencyPolicy === 'Forbid' && jobs.some(isActive);
  return broken({
    [`the newest slot that is due starts (${slot.toISOString()})`]: isSettled || isLate || mayWait,
    'a slot that is too late is settled':
      lateSlot(schedule, deadlineMs, now) <= newest(since, storedFloor(cronJob), voidThrough(cronJob, now)),
    'nextScheduleTime is the next slot': sameInstant(
      schedule.next(nextAfter(cronJob, now)),
      instantOf(status?.nextScheduleTime),
    ),
  });
}

/** The newest slot whose deadline has passed; the beginning of time when there is no such slot. */
function lateSlot(schedule: Slots, deadlineMs: number, now: Date): Date {
  const isEndless = deadlineMs === Number.POSITIVE_INFINITY;
  return newest(isEndless ? undefined : schedule.previous(new Date(now.getTime() - deadlineMs - MARGIN_MS)));
}
