/** Computes the facts on which a reconcile bases its decision. decide.ts makes the decision. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { findLatest, formatTime, isAfter, parseTime } from '../../api/time.ts';
import { getMaxConcurrentRuns } from '../../api/v1/concurrency.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type DelayedTimetable, parseDelayedTimetable } from '../../api/v1/delayed-timetable.ts';
import { INSTANTIATE_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseSlotJobName } from '../../api/v1/job-names.ts';
import type { RecentRun } from '../../api/v1/recent-lines.ts';
import { hasNewResumeValue, isSuspendedAt, keepsWaitingRuns } from '../../api/v1/suspension.ts';
import { type HistoryInput, isOutdated, isResultNew, isStartRecorded, parseRecentRuns } from './history.ts';
import {
  assessRunNow,
  createControllerReference,
  hasActivePods,
  isBeingDeleted,
  isControlledBy,
  parseGeneration,
  type Run,
  type RunNow,
  toRun,
} from './job.ts';
import {
  computeEffectiveSchedule,
  type DueSlots,
  type EffectiveSchedule,
  findDueSlots,
  findNextSlot,
  NOTHING_DUE,
} from './slots.ts';

/** The objects that a reconcile has read. */
export interface Observation {
  /** The CronJob with the newest known status. */
  readonly cronJob: CronJob;
  /** The status that the API server stores. Default: the status of the CronJob. */
  readonly stored?: CronJobStatus;
  /** The Jobs, in any order. */
  readonly jobs: readonly Job[];
  /** Names of the Jobs that this process could not create. Default: empty. */
  readonly failedJobs?: readonly string[];
  /** Whether a write failed of the status that must record runs before Replace deletes them. Default: false. */
  readonly hasTriedToRecord?: boolean;
}

export interface Facts {
  readonly now: Date;
  /** The CronJob with the newest known status. */
  readonly cronJob: CronJob;
  /** Status of the CronJob. Empty if the CronJob has no status. */
  readonly status: CronJobStatus;
  /** The runs whose Jobs exist. Omits a cached Job that is older than the status. */
  readonly runs: readonly Run[];
  /** The runs that the status lists. */
  readonly recentRuns: readonly RecentRun[];
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: DelayedTimetable;
  readonly due: DueSlots;
  /** The next slot; `undefined` if no run will start until the CronJob changes. */
  readonly next: Date | undefined;
  readonly runNow: RunNow;
  readonly isSuspended: boolean;
  /** Whether `suspend` became false since the previous reconcile. Earlier slots are then skipped on purpose. */
  readonly isResuming: boolean;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
}

/** How the active runs affect a due run. */
export type Concurrency =
  | { readonly kind: 'Free' }
  /** No run starts until active runs finish. With the concurrency policy Skip, a due slot is skipped. */
  | { readonly kind: 'Wait' }
  /** The due run replaces the active runs (concurrencyPolicy Replace). */
  | {
      readonly kind: 'Replace';
      /** The Jobs to delete. May be empty. */
      readonly jobs: readonly Job[];
      /** Whether the stored status proves that each run to replace was started. */
      readonly areRecorded: boolean;
    };

export function assess(observation: Observation, now: Date): Facts {
  const { cronJob, jobs, failedJobs = [], hasTriedToRecord } = observation;
  const { spec, status = {} } = cronJob;
  const { stored = status } = observation;
  const recentRuns = parseRecentRuns(status);
  const cachedRuns = jobs.map(toRun);
  const runs = cachedRuns.filter((run) => !isOutdated(run, { recentRuns, status }));
  const effectiveSchedule = computeEffectiveSchedule(cronJob, now);
  const parsed = parseDelayedTimetable(cronJob, effectiveSchedule.since);
  const pause = assessPause({ cronJob, status, recentRuns }, runs, now);
  const lastScheduled = findLastScheduledSlot({ status, recentRuns }, runs, now);
  const floor = findLatest(effectiveSchedule.since, parseTime(status.handledThrough), lastScheduled, pause.resumedAt);
  const startsNoSlot = pause.paused !== undefined || isBeingDeleted(cronJob);
  const isSuspended = isSuspendedAt(spec, now);
  const keepsQueue = () => parsed.kind === 'ok' && keepsWaitingRuns(cronJob, parsed.schedule, now);
  const isResuming = wasSuspendedByField(cronJob) && !isSuspended && !keepsQueue();
  return {
    now,
    cronJob,
    status,
    runs,
    recentRuns,
    effectiveSchedule,
    parsed,
    due: startsNoSlot ? NOTHING_DUE : findDueSlots(parsed, floor, { spec, now, isResuming }),
    next: startsNoSlot ? undefined : findNextSlot(cronJob, parsed, findLatest(parsed.startedThrough(now), floor)),
    runNow: assessRunNow(cronJob, runs, failedJobs),
    isSuspended,
    isResuming,
    pause,
    concurrency:
      assessConcurrencyLimit(spec, cachedRuns) ??
      assessConcurrency(hasTriedToRecord ? cronJob : { ...cronJob, status: stored }, runs, now),
  };
}

/** Also counts runs whose cached Job is older than the status, which does not record whether the Pods are gone. */
function assessConcurrencyLimit(spec: CronJobSpec, cachedRuns: readonly Run[]): Concurrency | undefined {
  const limit = getMaxConcurrentRuns(spec);
  return limit === undefined ? undefined : { kind: cachedRuns.filter(hasActivePods).length < limit ? 'Free' : 'Wait' };
}

/** @param cronJob The CronJob with the status that must prove which runs were started. */
function assessConcurrency(cronJob: CronJob, runs: readonly Run[], now: Date): Concurrency {
  const { concurrencyPolicy } = cronJob.spec;
  const activeRuns = runs.filter(({ state }) => state === 'Active');
  if (activeRuns.length === 0) return { kind: 'Free' };
  if (concurrencyPolicy === 'Forbid') return { kind: 'Wait' };
  // Also for a stored value that this version does not know, because only Replace may end a run.
  if (concurrencyPolicy !== 'Replace') return { kind: 'Free' };
  const isRecorded = (run: Run) => isStartRecorded(run, cronJob, runs);
  const isReplaceable = (run: Run) =>
    !isBeingDeleted(run.job) && isControlledBy(cronJob, run.job) && (isRecorded(run) || isAlreadyDue(run, now));
  const replaceableRuns = activeRuns.filter(isReplaceable);
  return {
    kind: 'Replace',
    jobs: replaceableRuns.map(({ job }) => job),
    areRecorded: replaceableRuns.every(isRecorded),
  };
}

/** Whether `suspend`, and not `suspendUntil`, suspended the CronJob at the previous reconcile. */
function wasSuspendedByField({ spec, status = {} }: CronJob): boolean {
  const wasSuspended = getCondition(status.conditions, 'Available')?.reason === 'Suspended';
  const wasSuspendedUntil = status.suspendedUntil !== undefined && status.suspendedUntil === spec.suspendUntil;
  return wasSuspended && !wasSuspendedUntil;
}

/**
 * Returns the newest slot whose run has started, according to the status and the Jobs. Ignores a slot that is ahead of
 * the clock, because only a manager with a fast clock can have started its run.
 */
export function findLastScheduledSlot(
  { status: { lastScheduleTime, lastRun }, recentRuns }: Pick<HistoryInput, 'status' | 'recentRuns'>,
  runs: readonly Run[],
  now: Date,
): Date | undefined {
  let newest = parseTime(lastScheduleTime);
  const addSlot = (slot: Date | undefined) => {
    if (slot !== undefined && !isAfter(slot, now)) newest = findLatest(newest, slot);
  };
  addSlot(parseTime(lastRun?.scheduledTime));
  for (const { scheduledTime } of recentRuns) addSlot(scheduledTime);
  for (const { slot } of runs) addSlot(slot);
  return newest;
}

/**
 * If the slot of a run is ahead of the clock, its Job must not be deleted: no status records the run, so the run would
 * start again.
 */
function isAlreadyDue({ slot }: Run, now: Date): boolean {
  return slot === undefined || !isAfter(slot, now);
}

/** Computes when the run of the next slot starts, without the Jobs, for a reconcile that failed to read them. */
export function computeNextStart(cronJob: CronJob, now: Date): Date | undefined {
  const { since } = computeEffectiveSchedule(cronJob, now);
  const parsed = parseDelayedTimetable(cronJob, since);
  const slot = findNextSlot(cronJob, parsed, findLatest(parsed.startedThrough(now), since));
  return slot && parsed.startOf(slot);
}

/**
 * Returns the Jobs of the CronJob, each once. A Job that has lost its owner reference is included while the status lists it as
 * active. Without such a Job, Forbid would start a second run beside the active run.
 */
export function selectJobs(cronJob: CronJob, candidates: readonly (Job | undefined)[]): readonly Job[] {
  const { active = [] } = cronJob.status ?? {};
  const isListed = ({ metadata }: Job) => active.some(({ uid }) => uid === metadata.uid);
  const jobs = candidates
    .filter((job) => job !== undefined)
    .filter((job) => isControlledBy(cronJob, job) || isListed(job));
  return [...new Map(jobs.map((job) => [job.metadata.uid, job])).values()];
}

/**
 * Returns a substitute for an active Job that could not be read. The substitute is active, so the run counts as still running.
 * @returns `undefined` if the status does not list the Job as active.
 */
export function assumeActiveJob(cronJob: CronJob, name: string): Job | undefined {
  const { metadata, status = {} } = cronJob;
  const reference = status.active?.find((each) => each.name === name);
  if (reference === undefined) return undefined;
  const run = parseRecentRuns(status).find(({ jobName }) => jobName === name);
  const slot = run?.scheduledTime ?? parseSlotJobName(cronJob, name);
  const startTime = status.lastRun?.jobName === name ? status.lastRun.startTime : undefined;
  // Without a creation time, the time of the slot keeps the run at its position among the runs.
  const createdAt = run?.createdTime ?? parseTime(startTime) ?? slot;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: metadata.namespace,
      uid: reference.uid ?? '',
      resourceVersion: '',
      creationTimestamp: createdAt ? formatTime(createdAt) : metadata.creationTimestamp,
      annotations: slot ? { [SCHEDULED_AT_ANNOTATION]: formatTime(slot) } : { [INSTANTIATE_ANNOTATION]: 'manual' },
      ownerReferences: [createControllerReference(cronJob)],
    },
    spec: { template: {} },
    status: { ...(startTime !== undefined && { startTime }), ready: 1 },
  };
}

/** Limits the requests of a reconcile, because another client may have written any number of names into the status. */
const MAX_LOOKUPS = 100;

/**
 * Returns the names of the Jobs that should exist and are not in the cache, at most {@link MAX_LOOKUPS}.
 * @param uncertainJobNames Names of the Jobs whose create request got no response.
 */
export function listJobNamesToLookUp(
  { status: { active = [] } = {} }: CronJob,
  uncertainJobNames: readonly string[],
  cachedJobs: readonly Job[],
): readonly string[] {
  if (active.length + uncertainJobNames.length === 0) return [];
  const cachedUids = new Set(cachedJobs.map(({ metadata }) => metadata.uid));
  const cachedNames = new Set(cachedJobs.map(({ metadata }) => metadata.name));
  const missingNames = active.filter(({ uid = '' }) => !cachedUids.has(uid)).map(({ name = '' }) => name);
  return [...new Set([...uncertainJobNames.filter((name) => !cachedNames.has(name)), ...missingNames])].slice(
    0,
    MAX_LOOKUPS,
  );
}

export interface Pause {
  /** The number of consecutive failed runs of the schedule. Absent without `pauseAfterFailures`. */
  readonly failures?: number;
  /** `status.paused` after the reconcile. Absent if the CronJob is not paused. */
  readonly paused?: NonNullable<CronJobStatus['paused']>;
  /** The end of the pause. Set only in the reconcile that ends the pause. No run starts for an earlier slot. */
  readonly resumedAt?: Date;
}

export function assessPause(input: HistoryInput, runs: readonly Run[], now: Date): Pause {
  const { cronJob, status } = input;
  const { paused } = status;
  const { pauseAfterFailures: limit } = cronJob.spec;
  if (limit === undefined) return paused ? { resumedAt: now } : {};

  const newResults = runs.filter((run) => isResultNew(run, input)).toSorted(compareByFinishTime);
  const isResumeRequested = hasNewResumeValue(cronJob, status);
  const isResumed = isResumeRequested || hasNewSpec(input) || hasManualSuccess(newResults);
  const earlierFailures = isResumed ? 0 : (status.consecutiveFailures ?? 0);
  const failures = isResumeRequested
    ? 0
    : newResults.reduce((count, run) => updateFailureCount(count, run, input), earlierFailures);
  if (paused) return isResumed ? { failures, resumedAt: now } : { failures, paused };
  if (failures < limit) return { failures };
  return { failures, paused: { reason: TOO_MANY_FAILURES, since: formatTime(now) } };
}

const TOO_MANY_FAILURES = 'TooManyFailures';

/** Compares with `>`, because a CronJob restored from a backup has an old status and starts at generation 1. */
function hasNewSpec({ cronJob: { metadata }, status }: HistoryInput): boolean {
  const [current, observed]: readonly unknown[] = [metadata.generation, status.observedGeneration];
  return typeof current === 'number' && typeof observed === 'number' && current > observed;
}

function hasManualSuccess(results: readonly Run[]): boolean {
  return results.some(({ trigger, state }) => trigger === 'Manual' && state === 'Succeeded');
}

/**
 * Counts a failed run only if the schedule has started the run and its Job was created from the current spec. A success
 * resets the count, unless it is for an earlier slot.
 */
function updateFailureCount(count: number, run: Run, { cronJob: { metadata } }: HistoryInput): number {
  if (run.trigger === 'Backfill') return count;
  if (run.state === 'Succeeded') return 0;
  return run.trigger === 'Schedule' && parseGeneration(run) === metadata.generation ? count + 1 : count;
}

function compareByFinishTime(left: Run, right: Run): number {
  return getFinishTimeMs(left) - getFinishTimeMs(right);
}

function getFinishTimeMs({ finishedAt }: Run): number {
  return finishedAt?.getTime() ?? 0;
}
