/**
 * The facts: everything that a pass knows before it decides, computed from its observations and one reading of the clock. Next:
 * decide.ts.
 */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime, isAfter, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { INSTANTIATE_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { slotFromJobName } from '../../api/v1/job-names.ts';
import type { RecentRun } from '../../api/v1/recent-lines.ts';
import { type ParsedSchedule, parseSchedule } from '../../api/v1/schedule.ts';
import { hasNewResume, isSuspendedAt } from '../../api/v1/suspension.ts';
import { type HistoryInput, isOutdated, isResultNew, isRunStored, parseRecentRuns } from './history.ts';
import {
  assessRunNow,
  controllerReference,
  isControlledBy,
  parseGeneration,
  type Run,
  type RunNow,
  toRun,
} from './job.ts';
import {
  computeEffectiveSchedule,
  type DueSlots,
  dueSlots,
  type EffectiveSchedule,
  NOTHING_DUE,
  nextSlot,
} from './slots.ts';

/** The observations of one pass. */
export interface Observed {
  /** The CronJob with the newest known status. */
  readonly cronJob: CronJob;
  /** The status that the API server has. Default: the status of the CronJob. */
  readonly stored?: CronJobStatus;
  /** Its runs, as {@link selectJobs} finds them, in no particular order. */
  readonly jobs: readonly Job[];
  /** Names of the Jobs that this process could not create. Default: empty. */
  readonly failedJobs?: readonly string[];
  /** Whether a status that had to record runs before their replacement could not be stored. */
  readonly hasTriedToRecord?: boolean;
}

export interface Facts {
  /** The only time of the pass. */
  readonly now: Date;
  /** The CronJob with the newest known status. */
  readonly cronJob: CronJob;
  /** Status of the CronJob; empty when the CronJob has no status. */
  readonly status: CronJobStatus;
  /** The runs with existing Jobs, unless the cache is behind the status. */
  readonly runs: readonly Run[];
  /** The runs that the status lists. */
  readonly recentRuns: readonly RecentRun[];
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: ParsedSchedule;
  readonly due: DueSlots;
  /** The next slot; `undefined` when no run will start unless the CronJob changes. */
  readonly next: Date | undefined;
  readonly runNow: RunNow;
  readonly isSuspended: boolean;
  /** Whether this is the first pass after `suspend` was lifted: earlier slots were skipped on purpose. */
  readonly isResuming: boolean;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
}

/** What the active runs mean for a due run. */
export type Concurrency =
  | { readonly kind: 'Free' }
  /** The due run waits for them (concurrencyPolicy Forbid). */
  | { readonly kind: 'Wait' }
  /** The due run replaces them (Replace). */
  | {
      readonly kind: 'Replace';
      /** The active Jobs, except Jobs that are already being deleted. May be empty. */
      readonly jobs: readonly Job[];
      /** Whether the status proves for each Job that its slot, or the value of the run-now annotation, was handled. */
      readonly areRecorded: boolean;
    };

/** Computes the facts of a pass. */
export function assess(observed: Observed, now: Date): Facts {
  const { cronJob, jobs, failedJobs = [], hasTriedToRecord } = observed;
  const { spec, status = {} } = cronJob;
  const { stored = status } = observed;
  const recentRuns = parseRecentRuns(status);
  const runs = jobs.map(toRun).filter((run) => !isOutdated(run, { recentRuns, status }));
  const effectiveSchedule = computeEffectiveSchedule(cronJob, now);
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: effectiveSchedule.since });
  const pause = assessPause({ cronJob, status, recentRuns }, runs, now);
  const lastScheduled = findLastScheduled({ status, recentRuns }, runs, now);
  const floor = latest(effectiveSchedule.since, parseTime(status.handledThrough), lastScheduled, pause.resumedAt);
  const startsNoSlot = pause.paused !== undefined || isBeingDeleted(cronJob);
  const isSuspended = isSuspendedAt(spec, now);
  return {
    now,
    cronJob,
    status,
    runs,
    recentRuns,
    effectiveSchedule,
    parsed,
    due: startsNoSlot ? NOTHING_DUE : dueSlots(parsed, floor, { spec, now }),
    next: startsNoSlot ? undefined : nextSlot(cronJob, parsed, latest(now, floor)),
    runNow: assessRunNow(cronJob, runs, failedJobs),
    isSuspended,
    isResuming: hasLiftedSuspend(cronJob) && !isSuspended,
    pause,
    concurrency: assessConcurrency(hasTriedToRecord ? cronJob : { ...cronJob, status: stored }, runs, now),
  };
}

/** @param cronJob With the status that has to prove which runs were started. */
function assessConcurrency(cronJob: CronJob, runs: readonly Run[], now: Date): Concurrency {
  const { concurrencyPolicy } = cronJob.spec;
  const active = runs.filter(({ state }) => state === 'Active');
  if (active.length === 0 || !(concurrencyPolicy === 'Forbid' || concurrencyPolicy === 'Replace'))
    return { kind: 'Free' };
  if (concurrencyPolicy === 'Forbid') return { kind: 'Wait' };
  const isRecorded = (run: Run) => isRunStored(run, cronJob, runs);
  const isReplaceable = (run: Run) =>
    !isBeingDeleted(run.job) && isControlledBy(cronJob, run.job) && (isRecorded(run) || isAlreadyDue(run, now));
  const replaced = active.filter(isReplaceable);
  return { kind: 'Replace', jobs: replaced.map(({ job }) => job), areRecorded: replaced.every(isRecorded) };
}

/** Whether the CronJob was suspended at the previous pass, unless a `suspendUntil` that has passed suspended it. */
function hasLiftedSuspend({ spec, status = {} }: CronJob): boolean {
  const wasSuspended = getCondition(status.conditions, 'Available')?.reason === 'Suspended';
  const isOver = status.suspendedUntil !== undefined && status.suspendedUntil === spec.suspendUntil;
  return wasSuspended && !isOver;
}

/**
 * The newest slot that ran. A Job of a slot proves in any state that the slot ran, even if the status that should record it
 * was never written. If a manager with a fast clock started the run, the run counts from the time of its slot.
 */
export function findLastScheduled(
  { status: { lastScheduleTime, lastRun }, recentRuns }: Pick<HistoryInput, 'status' | 'recentRuns'>,
  runs: readonly Run[],
  now: Date,
): Date | undefined {
  const listed = recentRuns.map(({ scheduledTime }) => scheduledTime);
  const slots = [parseTime(lastRun?.scheduledTime), ...listed, ...runs.map(({ slot }) => slot)];
  return latest(parseTime(lastScheduleTime), ...slots.filter((slot) => slot !== undefined && !isAfter(slot, now)));
}

/**
 * Whether the slot of the run is not ahead of the clock. A manager with a fast clock started a run that is ahead: no status records
 * it, and without its Job it would run again.
 */
function isAlreadyDue({ slot }: Run, now: Date): boolean {
  return slot === undefined || !isAfter(slot, now);
}

function isBeingDeleted({ metadata }: Pick<Job | CronJob, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * The next slot, computed from the CronJob alone, for a pass that failed before it read the Jobs.
 * @returns `undefined` when no run will start unless the CronJob changes.
 */
export function computeNextSlot(cronJob: CronJob, now: Date): Date | undefined {
  const { since } = computeEffectiveSchedule(cronJob, now);
  const { schedule, timeZone } = cronJob.spec;
  return nextSlot(cronJob, parseSchedule(schedule, { timeZone, anchor: since }), latest(now, since));
}

/**
 * The found Jobs that are runs of the CronJob, each once: Jobs that it controls, and Jobs that it started and that now have another
 * owner or no owner. Without the latter, a run that has to wait for them would start beside them.
 */
export function selectJobs(cronJob: CronJob, found: readonly (Job | undefined)[]): readonly Job[] {
  const { active = [] } = cronJob.status ?? {};
  const isListed = ({ metadata }: Job) => active.some(({ uid }) => uid === metadata.uid);
  const ours = found.filter((job) => job !== undefined).filter((job) => isControlledBy(cronJob, job) || isListed(job));
  return [...new Map(ours.map((job) => [job.metadata.uid, job])).values()];
}

/**
 * Stands in for a Job that the status calls active and that cannot be read, and assumes that the Job is still running. `undefined`
 * for other names.
 */
export function assumeActiveJob(cronJob: CronJob, name: string): Job | undefined {
  const { metadata, status = {} } = cronJob;
  const reference = status.active?.find((each) => each.name === name);
  if (reference === undefined) return undefined;
  const run = parseRecentRuns(status).find(({ jobName }) => jobName === name);
  const slot = run?.scheduledTime ?? slotFromJobName(cronJob, name);
  const startTime = status.lastRun?.jobName === name ? status.lastRun.startTime : undefined;
  // Without an entry in the list, the time of the slot keeps the order of runs.
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
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: { template: {} },
    status: { ...(startTime !== undefined && { startTime }), ready: 1 },
  };
}

/** The cache never lacks more Jobs of one CronJob. A status that another client wrote may name any number of Jobs. */
const MAX_LOOKED_UP = 100;

/**
 * Names of the Jobs that are not in the cache but should exist: the status names them, or their create got no response. At most
 * {@link MAX_LOOKED_UP}.
 */
export function jobNamesToLookUp(
  { status: { active = [] } = {} }: CronJob,
  uncertain: readonly string[],
  cached: readonly Job[],
): readonly string[] {
  if (active.length + uncertain.length === 0) return [];
  const known = new Set(cached.flatMap(({ metadata: { uid, name } }) => [uid, `name/${name}`]));
  const unseen = active.filter(({ uid = '' }) => !known.has(uid)).map(({ name = '' }) => name);
  const names = [...uncertain.filter((name) => !known.has(`name/${name}`)), ...unseen];
  return [...new Set(names)].slice(0, MAX_LOOKED_UP);
}

export interface Pause {
  /** Consecutive failed runs of slots; absent without `pauseAfterFailures`. */
  readonly failures?: number;
  /** `status.paused` after the pass; absent while slots start. */
  readonly paused?: NonNullable<CronJobStatus['paused']>;
  /** Set in the first pass after the end of a pause: earlier slots are void. */
  readonly resumedAt?: Date;
}

/** @param runs The existing runs, including a run that the pass has adopted. */
export function assessPause(input: HistoryInput, runs: readonly Run[], now: Date): Pause {
  const { cronJob, status } = input;
  const { paused } = status;
  const { pauseAfterFailures: limit } = cronJob.spec;
  if (limit === undefined) return paused ? { resumedAt: now } : {};

  const results = runs.filter((run) => isResultNew(run, input)).toSorted(byFinishTime);
  const isResumeRequested = hasNewResume(cronJob, status);
  const isResumed = isResumeRequested || isSpecNew(input) || hasManualSuccess(results);
  const before = isResumed ? 0 : (status.consecutiveFailures ?? 0);
  // A user who requests a resume has seen these results.
  const failures = isResumeRequested ? 0 : results.reduce((count, run) => countFailure(count, run, input), before);
  if (paused) return isResumed ? { failures, resumedAt: now } : { failures, paused };
  if (failures < limit) return { failures };
  return { failures, paused: { reason: TOO_MANY_FAILURES, since: formatTime(now) } };
}

const TOO_MANY_FAILURES = 'TooManyFailures';

/**
 * Whether the spec has changed since the status was stored; false when either generation is absent or not a number. A CronJob that
 * was created again with the status of a backup begins at generation 1 and has not changed.
 */
function isSpecNew({ cronJob: { metadata }, status }: HistoryInput): boolean {
  const [now, before]: readonly unknown[] = [metadata.generation, status.observedGeneration];
  return typeof now === 'number' && typeof before === 'number' && now > before;
}

function hasManualSuccess(results: readonly Run[]): boolean {
  return results.some(({ trigger, state }) => trigger === 'Manual' && state === 'Succeeded');
}

/** Any success counts, and a failure of a slot under the current spec. */
function countFailure(count: number, run: Run, { cronJob: { metadata } }: HistoryInput): number {
  if (run.state === 'Succeeded') return 0;
  return run.trigger === 'Schedule' && parseGeneration(run) === metadata.generation ? count + 1 : count;
}

function byFinishTime(left: Run, right: Run): number {
  return finishTimeMs(left) - finishTimeMs(right);
}

function finishTimeMs({ finishedAt }: Run): number {
  return finishedAt?.getTime() ?? 0;
}
