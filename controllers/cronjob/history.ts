/**
 * Computes `status.recentRuns`, the list of the newest runs and their results. Also computes which finished Jobs to
 * delete.
 */
import type { Job } from '../../api/kubernetes.ts';
import { findLatest, isAfter, parseTime } from '../../api/time.ts';
import { getMaxConcurrentRuns } from '../../api/v1/concurrency.ts';
import {
  DEFAULT_RECENT_RUNS_LIMIT,
  DEFAULT_REQUESTED_RUNS_HISTORY_LIMIT,
  MAX_RECENT_RUNS_LIMIT,
} from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import { parseRecentRun, type RecentRun, type RunResult } from '../../api/v1/recent-lines.ts';
import { assessRunNow, hasActivePods, isBeingDeleted, isControlledBy, type Run } from './job.ts';

export interface HistoryInput {
  readonly cronJob: CronJob;
  readonly status: CronJobStatus;
  readonly recentRuns: readonly RecentRun[];
}

/** Returns the runs that the status lists, newest first. */
export function parseRecentRuns({ recentRuns = [] }: CronJobStatus): readonly RecentRun[] {
  const runs = recentRuns.slice(0, MAX_RECENT_RUNS_LIMIT).map(parseRecentRun);
  return runs.filter((run) => run !== undefined);
}

function getIdentifyingTime({ scheduledTime, createdTime }: RecentRun): Date {
  return scheduledTime ?? createdTime;
}

/** A Job that was created again for the same slot counts as the same run. */
function findRecentRun(run: Run, recentRuns: readonly RecentRun[]): RecentRun | undefined {
  const { name } = run.job.metadata;
  const timeMs = (run.slot ?? run.createdAt).getTime();
  return recentRuns.find((each) => each.jobName === name && getIdentifyingTime(each).getTime() === timeMs);
}

/** The maximum number of runs that the status lists. The maximum number of skipped times is the same. */
export function getRecentLimit({ recentRunsLimit: limit = DEFAULT_RECENT_RUNS_LIMIT }: CronJob['spec']): number {
  return Math.min(Math.max(0, limit), MAX_RECENT_RUNS_LIMIT);
}

/**
 * Returns the new list, newest first, or `undefined` if it is unchanged.
 * @param replacedJobs Jobs that the reconcile has deleted to replace them.
 */
export function computeRecentRuns(
  input: HistoryInput,
  runs: readonly Run[],
  replacedJobs: readonly Job[],
): readonly RecentRun[] | undefined {
  const { cronJob, status, recentRuns } = input;
  const limit = getRecentLimit(cronJob.spec);
  const changes = [...findChangedRuns(input, runs, replacedJobs), ...findVanishedRuns(input, runs)];
  if (changes.length === 0 && (status.recentRuns ?? []).length <= limit) return undefined;
  return mergeRuns(recentRuns, changes).slice(0, limit);
}

/**
 * Merges two lists, newest first. For each run, takes the result of the stored list if it is final, and otherwise the
 * result of the newer list.
 */
export function mergeRuns(storedRuns: readonly RecentRun[], newerRuns: readonly RecentRun[]): readonly RecentRun[] {
  const allRuns = [...storedRuns.filter(hasFinalResult), ...newerRuns, ...storedRuns];
  return allRuns
    .filter((run, index) => allRuns.findIndex((each) => isSameRun(each, run)) === index)
    .toSorted(compareNewestFirst);
}

function isSameRun(left: RecentRun, right: RecentRun): boolean {
  return left.jobName === right.jobName && getIdentifyingTime(left).getTime() === getIdentifyingTime(right).getTime();
}

type RunStart = Pick<RecentRun, 'createdTime' | 'scheduledTime' | 'jobName'>;

/** Compares runs by creation time, then by slot, then by name. */
export function compareNewestFirst(left: RunStart, right: RunStart): number {
  const slotMs = ({ scheduledTime }: RunStart) => scheduledTime?.getTime() ?? 0;
  const byTime = right.createdTime.getTime() - left.createdTime.getTime() || slotMs(right) - slotMs(left);
  return byTime || (left.jobName < right.jobName ? 1 : -1);
}

/** Returns the runs whose Jobs exist and that are new or differ from their entries. */
function findChangedRuns(
  input: HistoryInput,
  runs: readonly Run[],
  replacedJobs: readonly Job[],
): readonly RecentRun[] {
  const { recentRuns } = input;
  const isReplaced = (run: Run) =>
    replacedJobs.includes(run.job) ||
    (isBeingDeleted(run.job) && hasNewerRun(toRecentRun(run, 'Running'), input, runs));
  const oldestTime = getOldestListedTime(input);
  const changes: RecentRun[] = [];
  for (const run of runs) {
    const result = run.state !== 'Active' ? run.state : isReplaced(run) ? 'Replaced' : 'Running';
    const entry = findRecentRun(run, recentRuns);
    const isChange =
      entry === undefined ? isAfter(run.createdAt, oldestTime) : entry.result !== result && !hasFinalResult(entry);
    if (isChange) changes.push(toRecentRun(run, result));
  }
  return changes;
}

/** Returns the active runs whose Jobs do not exist any more. */
function findVanishedRuns(input: HistoryInput, runs: readonly Run[]): readonly RecentRun[] {
  const runningEntries = input.recentRuns.filter(({ result }) => result === 'Running');
  if (runningEntries.length === 0) return [];
  const existingEntries = new Set(runs.map((run) => findRecentRun(run, runningEntries)));
  const missingEntries = runningEntries.filter((run) => !existingEntries.has(run));
  return missingEntries.map((run) =>
    hasNewerRun(run, input, runs)
      ? { ...run, result: 'Replaced' }
      : { ...run, result: 'Unknown', reason: 'JobDeleted' },
  );
}

/** Whether a newer run may have replaced the run. */
function hasNewerRun(
  { createdTime, scheduledTime: slot }: RecentRun,
  { cronJob, recentRuns }: HistoryInput,
  runs: readonly Run[],
): boolean {
  if (cronJob.spec.concurrencyPolicy !== 'Replace') return false;
  return [...recentRuns, ...runs.map((run) => toRecentRun(run, 'Running'))].some(
    (otherRun) =>
      isAfter(otherRun.createdTime, createdTime) ||
      (slot && otherRun.scheduledTime && isAfter(otherRun.scheduledTime, slot)),
  );
}

/** Whether the entry has the final result of the run. */
function hasFinalResult({ result }: RecentRun): boolean {
  return result !== 'Running' && result !== 'Unknown';
}

function toRecentRun(run: Run, result: RunResult): RecentRun {
  const { job, trigger, requestedBy, slot: scheduledTime, finishedAt, failureReason: reason, message } = run;
  return {
    jobName: job.metadata.name,
    trigger,
    requestedBy,
    scheduledTime,
    createdTime: run.createdAt,
    startTime: finishedAt && run.startedAt,
    completionTime: finishedAt,
    result,
    reason,
    message,
  };
}

/** Whether the run has finished and no status has recorded its result. */
export function isResultNew(run: Run, input: HistoryInput): boolean {
  const { status, recentRuns } = input;
  if (run.state === 'Active') return false;
  const entry = findRecentRun(run, recentRuns);
  if (entry !== undefined) return !hasFinalResult(entry);
  // Without a list, either no run was recorded or the limit is 0.
  const isListed = status.recentRuns !== undefined || status.lastRun === undefined;
  if (isListed && isAfter(run.createdAt, getOldestListedTime(input))) return true;
  if (status.active?.some(({ uid }) => uid === run.job.metadata.uid)) return true;
  const lastFinish = findLatest(parseTime(status.lastSuccessfulTime), parseTime(status.lastFailureTime));
  return run.finishedAt !== undefined && (lastFinish === undefined || run.finishedAt > lastFinish);
}

/**
 * Whether the cached Job of an active run is older than the status: the status records the end of the run. A Job that another client
 * created again under the same name is not outdated.
 */
export function isOutdated(run: Run, { recentRuns, status }: Pick<HistoryInput, 'recentRuns' | 'status'>): boolean {
  if (run.state !== 'Active') return false;
  const entry = findRecentRun(run, recentRuns);
  if (entry === undefined) return hasEndedAsLastRun(run, status);
  if (!hasFinalResult(entry) || (entry.result === 'Replaced' && isBeingDeleted(run.job))) return false;
  return entry.createdTime.getTime() === run.createdAt.getTime();
}

/** If `recentRunsLimit` is 0, only `lastRun` records the end of a run. */
function hasEndedAsLastRun(run: Run, { lastRun }: CronJobStatus): boolean {
  const endedAt = parseTime(lastRun?.completionTime);
  return lastRun?.jobName === run.job.metadata.name && endedAt !== undefined && !isAfter(run.createdAt, endedAt);
}

/** Returns the creation time of the oldest run in a full list. Older runs are not added. */
function getOldestListedTime({ cronJob, recentRuns }: HistoryInput): Date {
  const oldest = recentRuns.length < getRecentLimit(cronJob.spec) ? undefined : recentRuns.at(-1);
  return oldest?.createdTime ?? BEFORE_EVERY_RUN;
}

const BEFORE_EVERY_RUN = new Date(-1);

/**
 * Returns the finished Jobs beyond the history limits, oldest first. A Job proves that the run of its slot was started,
 * so the Job may be deleted only if the stored status proves the start too. Without any proof, the run would start
 * again after a crash.
 *
 * @param cronJob The CronJob with its stored status.
 * @param recordedStatus The status that records the results. Default: the stored status. A caller passes the sent status, because a
 * different CRD may drop results from every stored status.
 */
export function listJobsToPrune(
  cronJob: CronJob,
  runs: readonly Run[],
  recordedStatus: CronJobStatus = cronJob.status ?? {},
): readonly Job[] {
  const { spec } = cronJob;
  if (isBeingDeleted(cronJob)) return [];
  const finishedRuns = runs.filter(({ state, job }) => state !== 'Active' && isControlledBy(cronJob, job));
  if (finishedRuns.length === 0) return [];
  const unrequestedRuns = finishedRuns.filter(({ requestedBy }) => requestedBy === undefined);
  const requestedRuns = finishedRuns.filter(({ requestedBy }) => requestedBy !== undefined);
  // If a Job were deleted while its Pods terminate, the next run would start beside these Pods.
  const hasConcurrencyLimit = getMaxConcurrentRuns(spec) !== undefined;
  const excessRuns = [
    ...findExcessRunsInState(unrequestedRuns, 'Succeeded', spec.successfulJobsHistoryLimit),
    ...findExcessRunsInState(unrequestedRuns, 'Failed', spec.failedJobsHistoryLimit),
    ...findExcessRuns(requestedRuns, spec.requestedRunsHistoryLimit ?? DEFAULT_REQUESTED_RUNS_HISTORY_LIMIT),
  ].filter((run) => isStartRecorded(run, cronJob, runs) && !(hasConcurrencyLimit && hasActivePods(run)));
  return filterRecordedRuns(excessRuns, cronJob, recordedStatus).map((run) => run.job);
}

function findExcessRunsInState(runs: readonly Run[], state: 'Succeeded' | 'Failed', limit: number): readonly Run[] {
  return findExcessRuns(
    runs.filter((run) => run.state === state),
    limit,
  );
}

function findExcessRuns(finishedRuns: readonly Run[], limit: number): readonly Run[] {
  const keptRuns = finishedRuns.filter(({ job }) => !isBeingDeleted(job));
  const excessCount = keptRuns.length - limit;
  return excessCount <= 0 ? [] : keptRuns.toSorted(compareByStartTime).slice(0, excessCount);
}

/** Kubernetes' CronJob controller deletes Jobs in the same order. */
function compareByStartTime({ job: left }: Run, { job: right }: Run): number {
  const startTimeMs = (job: Job) => parseTime(job.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  const [leftStart, rightStart] = [startTimeMs(left), startTimeMs(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

/** Whether the stored status proves that the run was started. */
export function isStartRecorded(run: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const { status = {} } = cronJob;
  const { slot } = run;
  if (slot === undefined) return !isOnlyRecordOfManualRun(run, cronJob, runs);
  return [status.lastScheduleTime, status.handledThrough].some((time) => isAtOrAfter(time, slot));
}

/** Returns the runs whose results the status records, by their finish times and in `status.recentRuns`. A full list may omit old runs. */
function filterRecordedRuns(
  runs: readonly Run[],
  { spec }: Pick<CronJob, 'spec'>,
  status: CronJobStatus,
): readonly Run[] {
  if (runs.length === 0) return runs;
  const recentRuns = parseRecentRuns(status);
  const isFull = recentRuns.length >= getRecentLimit(spec);
  return runs.filter((run) => {
    const entry = findRecentRun(run, recentRuns);
    return isTimeRecorded(run, status) && (entry === undefined ? isFull : entry.result !== 'Running');
  });
}

/** If the Job has no finish time, only `lastRun` records its result. */
function isTimeRecorded({ job, state, finishedAt }: Run, status: CronJobStatus): boolean {
  const { lastRun, lastSuccessfulTime, lastFailureTime } = status;
  if (finishedAt === undefined) return lastRun?.jobName !== job.metadata.name || lastRun.result === state;
  return isAtOrAfter(state === 'Succeeded' ? lastSuccessfulTime : lastFailureTime, finishedAt);
}

function isOnlyRecordOfManualRun({ job }: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const runNow = assessRunNow(cronJob, runs);
  return runNow.kind === 'Handled' && toManualJobName(cronJob, runNow.value) === job.metadata.name;
}

function isAtOrAfter(storedTime: string | undefined, time: Date): boolean {
  const instant = parseTime(storedTime);
  return instant !== undefined && instant >= time;
}
