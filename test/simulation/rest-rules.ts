/** Rules for a CronJob when all possible work is done. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import {
  findBrokenRules,
  getDeadlineMs,
  getEnding,
  getRunLimit,
  getSlot,
  hasEnded,
  isActive,
  isBeingDeleted,
  isBlocking,
  isRequested,
  isSameInstant,
  isSuspendedAt,
  latest,
  nextAfter,
  parseInstant,
  storedFloor,
  voidThrough,
} from './facts.ts';
import type { DelayedSlots } from './jitter.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { computeOverdueTime, findCondition } from './suspension-rules.ts';

/** The real state of the cluster for one CronJob. */
export interface RestState {
  readonly cronJob: CronJob;
  readonly jobs: readonly Job[];
  readonly ledger: Ledger;
  readonly now: Date;
  /** Whether Jobs could be deleted for a long time. */
  readonly isHistoryDue: boolean;
  /** Jobs that should have been ended because they have not started. */
  readonly overdueStarts: readonly Job[];
}

/** A reconcile ends a moment after the time that it handles. */
const MARGIN_MS = 3000;

/** Returns the broken rules. */
export function checkAtRest(rest: RestState): readonly string[] {
  const { cronJob, ledger, now } = rest;
  const { spec, status, metadata } = cronJob;
  if (isBeingDeleted(cronJob)) return [];
  const isFiring = !isSuspendedAt(spec, now) && getDeadlineMs(cronJob) !== 0 && status?.paused === undefined;
  const schedule = isFiring ? ledger.getSlots(cronJob, now) : undefined;
  const isOfNewestSpec = status?.observedGeneration === metadata.generation;
  return [
    ...findBrokenRules({
      'observedGeneration is that of the newest spec': isPruned(rest, 'observedGeneration') || isOfNewestSpec,
    }),
    ...checkActivity(rest),
    ...checkHistory(rest),
    ...checkResults(rest),
    ...checkLastRun(rest),
    ...checkLostManualRun(rest),
    ...(ledger.wasPruned ? [] : checkFeatures(rest)),
    ...(schedule === undefined ? [] : checkLostSlots(rest, schedule)),
  ];
}

/** The rules of one more reconcile at rest. */
export function checkRepeatedReconcile({ requestKey, writes, events }: ObservedReconcile): readonly string[] {
  const kind = requestKey === undefined ? 'CronJob' : 'CronJobRun';
  return findBrokenRules({
    [`at rest another reconcile of a ${kind} writes nothing`]: writes === 0,
    [`at rest another reconcile of a ${kind} records no event`]: events.length === 0,
  });
}

/** The server has dropped one of these fields. Rules that depend on them cannot be checked. */
function isPruned({ ledger }: RestState, ...fields: readonly (keyof CronJobStatus)[]): boolean {
  return fields.some((field) => ledger.pruned.has(field));
}

function checkActivity(rest: RestState): readonly string[] {
  const { status } = rest.cronJob;
  const active = rest.jobs.filter(isActive).map(({ metadata }) => metadata.uid);
  const listed = (status?.active ?? []).map(({ uid = '' }) => uid);
  const isExpecting = rest.cronJob.spec.expectSuccessWithinSeconds !== undefined;
  const expected = `Available,Degraded,${isExpecting ? 'Overdue,' : ''}Progressing`;
  const conditions = (status?.conditions?.map(({ type }) => type) ?? []).toSorted().join();
  return findBrokenRules({
    'status.active names the Jobs that are not finished': active.toSorted().join() === listed.toSorted().join(),
    'the status has every condition': isPruned(rest, 'conditions') || conditions === expected,
  });
}

/** Rules for the condition Overdue, suspensions, the resume annotation and start timeouts. */
function checkFeatures({ cronJob, ledger, overdueStarts, now }: RestState): readonly string[] {
  const { spec, status = {}, metadata } = cronJob;
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  const at = computeOverdueTime(spec, status, now);
  const isClose = at !== undefined && Math.abs(at.getTime() - now.getTime()) < MARGIN_MS;
  const isOverdue = at !== undefined && at <= now && !isSuspendedAt(spec, now);
  const marginAgo = new Date(now.getTime() - MARGIN_MS);
  const isSuspensionClear = isSuspendedAt(spec, now) === isSuspendedAt(spec, marginAgo);
  const shownReason = findCondition(status, 'Available')?.reason;
  return findBrokenRules({
    'Overdue is True exactly when a success is overdue':
      isClose || !isSuspensionClear || (findCondition(status, 'Overdue')?.status === 'True') === isOverdue,
    'Available does not say Suspended after the end of a suspension':
      !isSuspensionClear || shownReason !== 'Suspended' || isSuspendedAt(spec, now),
    'Available says Ended after the end':
      !hasEnded(spec, marginAgo) || ledger.getInvalidReason(cronJob, now) !== undefined || shownReason === 'Ended',
    'lastResume has every value of the resume annotation': resume === undefined || resume === status.lastResume,
    [`a Job that does not start in time is ended (${overdueStarts.map((job) => job.metadata.name).join()})`]:
      overdueStarts.length === 0,
  });
}

/** A Job is deleted when the status has its result, and its run as settled: this needs a complete status. */
function checkHistory(rest: RestState): readonly string[] {
  const { spec } = rest.cronJob;
  const isUnlimited = !rest.isHistoryDue || rest.ledger.pruned.size > 0;
  const isKept = (job: Job) =>
    !isBeingDeleted(job) && !isRequested(job) && !isAhead(job, rest.now) && !isBlocking(job, rest.cronJob);
  const countFinished = (kind: 'Succeeded' | 'Failed') =>
    rest.jobs.filter((job) => isKept(job) && getEnding(job).kind === kind).length;
  return findBrokenRules({
    'the history has at most successfulJobsHistoryLimit Jobs':
      isUnlimited || countFinished('Succeeded') <= spec.successfulJobsHistoryLimit,
    'the history has at most failedJobsHistoryLimit Jobs':
      isUnlimited || countFinished('Failed') <= spec.failedJobsHistoryLimit,
  });
}

/** A manager whose clock was ahead has started it. Until its slot comes, no status shows that it ran. */
function isAhead(job: Job, now: Date): boolean {
  const slot = getSlot(job);
  return slot !== undefined && slot > now;
}

function checkResults(rest: RestState): readonly string[] {
  const { status } = rest.cronJob;
  const endings = rest.jobs.map((job) => getEnding(job)).filter((ending) => ending.kind !== 'Active');
  const isRecorded = (kind: 'Succeeded' | 'Failed', field: 'lastSuccessfulTime' | 'lastFailureTime') =>
    isPruned(rest, field) || endings.every((ending) => ending.kind !== kind || ending.at <= (status?.[field] ?? ''));
  const slots = rest.jobs.map((job) => latest(getSlot(job)));
  const newestSlot = latest(...slots.filter((slot) => slot <= rest.now));
  return findBrokenRules({
    'lastSuccessfulTime is not before any success': isRecorded('Succeeded', 'lastSuccessfulTime'),
    'lastFailureTime is not before any failure': isRecorded('Failed', 'lastFailureTime'),
    'lastScheduleTime is not before the slot of any Job': newestSlot <= latest(parseInstant(status?.lastScheduleTime)),
  });
}

function checkLastRun(rest: RestState): readonly string[] {
  if (rest.ledger.isLastRunDropped) return [];
  const { status } = rest.cronJob;
  const last = status?.lastRun;
  const job = rest.jobs.find(({ metadata }) => metadata.name === last?.jobName);
  const ending = job && getEnding(job).kind;
  const hasOther = [...rest.ledger.runs.values()].some(({ slot }) => slot === undefined);
  // Another clock has started it, or the run of lastScheduleTime.
  const slot = latest(parseInstant(status?.lastScheduleTime));
  const { creationTimestamp = '' } = rest.ledger.getRun(slot)?.job.metadata ?? {};
  const isAhead = latest(parseInstant(last?.scheduledTime)) > rest.now || new Date(creationTimestamp) < slot;
  return findBrokenRules({
    'lastRun is Running while its Job is': (ending === 'Active') === (last?.result === 'Running'),
    'lastRun has the result of its Job': ending === undefined || ending === 'Active' || ending === last?.result,
    'lastRun is the run of lastScheduleTime': hasOther || isAhead || last?.scheduledTime === status?.lastScheduleTime,
  });
}

/** The newest value of the run-now annotation has been handled, or waits. */
function checkLostManualRun(rest: RestState): readonly string[] {
  if (isPruned(rest, 'lastManualRun')) return [];
  const { metadata, status } = rest.cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  const isHandled = value === undefined || value === status?.lastManualRun;
  const mayWait = rest.jobs.filter((job) => isBlocking(job, rest.cronJob)).length >= getRunLimit(rest.cronJob);
  return findBrokenRules({ 'a requested manual run starts': isHandled || mayWait });
}

function checkLostSlots(rest: RestState, schedule: DelayedSlots): readonly string[] {
  if (isPruned(rest, 'handledThrough', 'nextScheduleTime', 'effectiveSchedule')) return [];
  const { cronJob, jobs, ledger, now } = rest;
  if (ledger.isPauseUnknown(cronJob)) return [];
  const { spec, status } = cronJob;
  const deadlineMs = getDeadlineMs(cronJob) ?? Number.POSITIVE_INFINITY;
  const since = ledger.getExpectedSince(cronJob, now);
  const through = schedule.startedThrough(now);
  const slot = schedule.previous(through) ?? since;
  const handledThrough = latest(since, ledger.newestSlot, storedFloor(cronJob), voidThrough(cronJob, now));
  const newest = schedule.all.previous(through) ?? since;
  const isLate = schedule.startOf(slot).getTime() <= now.getTime() - deadlineMs;
  const blocking = jobs.filter((job) => isBlocking(job, cronJob));
  const mayWait = spec.concurrencyPolicy !== 'Skip' && blocking.length >= getRunLimit(cronJob);
  return findBrokenRules({
    [`the newest due slot starts (${slot.toISOString()})`]: slot <= handledThrough || isLate || mayWait,
    [`the newest slot is handled when it is excluded (${newest.toISOString()})`]:
      newest <= handledThrough || !schedule.isExcluded(newest) || mayWait,
    'a slot past its deadline is handled':
      findLateSlot(schedule, deadlineMs, now) <= latest(since, storedFloor(cronJob), voidThrough(cronJob, now)),
    'nextScheduleTime is the next slot': isSameInstant(
      schedule.next(nextAfter(cronJob, through)),
      parseInstant(status?.nextScheduleTime),
    ),
  });
}

/** The newest slot whose deadline has passed; the beginning of time when there is no such slot. */
function findLateSlot(schedule: DelayedSlots, deadlineMs: number, now: Date): Date {
  const hasNoDeadline = deadlineMs === Number.POSITIVE_INFINITY;
  if (hasNoDeadline) return latest();
  const lateTime = schedule.startedThrough(new Date(now.getTime() - deadlineMs - MARGIN_MS));
  return latest(schedule.previous(lateTime));
}
