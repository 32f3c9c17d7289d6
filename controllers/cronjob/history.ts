/** The history of a CronJob: `status.recentRuns`, the newest runs and their results, and which finished Jobs to delete. */
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import { DEFAULT_RECENT_RUNS_LIMIT, MAX_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import { parseRecentRun, type RecentRun, type RunResult } from '../../api/v1/recent-lines.ts';
import { assessRunNow, isControlledBy, type Run } from './job.ts';

/** What a pass knows about runs. */
export interface HistoryInput {
  readonly cronJob: CronJob;
  readonly status: CronJobStatus;
  readonly recentRuns: readonly RecentRun[];
}

/**
 * The runs that the status lists, newest first. If another client listed a run twice, or too many runs, the first entries count.
 */
export function parseRecentRuns({ recentRuns = [] }: CronJobStatus): readonly RecentRun[] {
  const runs = recentRuns.slice(0, MAX_RECENT_RUNS_LIMIT).map(parseRecentRun);
  return runs.filter((run) => run !== undefined);
}

/** When the run was scheduled; without that time, when its Job was created. */
function identifyingTime({ scheduledTime, createdTime }: RecentRun): Date {
  return scheduledTime ?? createdTime;
}

/** The entry of a run. A Job that was created again, under the same name and for the same slot, is the same run. */
function findEntry(run: Run, recentRuns: readonly RecentRun[]): RecentRun | undefined {
  const { name } = run.job.metadata;
  const timeMs = (run.slot ?? run.createdAt).getTime();
  return recentRuns.find((each) => each.jobName === name && identifyingTime(each).getTime() === timeMs);
}

/** How many runs, and how many skips, the status lists. */
export function getRecentLimit({ recentRunsLimit: limit = DEFAULT_RECENT_RUNS_LIMIT }: CronJob['spec']): number {
  return Math.min(Math.max(0, limit), MAX_RECENT_RUNS_LIMIT);
}

/**
 * The list after a pass, newest first; `undefined` when it is unchanged.
 * @param runs The existing runs, including the run that the pass has started.
 * @param replaced Jobs that the pass has deleted to replace them.
 */
export function recentRunsAfter(
  input: HistoryInput,
  runs: readonly Run[],
  replaced: readonly Job[],
): readonly RecentRun[] | undefined {
  const { cronJob, status, recentRuns } = input;
  const limit = getRecentLimit(cronJob.spec);
  const changes = [...changedRuns(input, runs, replaced), ...vanishedRuns(input, runs)];
  if (changes.length === 0 && (status.recentRuns ?? []).length <= limit) return undefined;
  return mergeRuns(recentRuns, changes).slice(0, limit);
}

/** Merges two lists, newest first, each run once: with its end if the stored list has it, else as in the newer list. */
export function mergeRuns(stored: readonly RecentRun[], newer: readonly RecentRun[]): readonly RecentRun[] {
  const all = [...stored.filter(isFinal), ...newer, ...stored];
  return all.filter((run, index) => all.findIndex((each) => isSameRun(each, run)) === index).toSorted(newestFirst);
}

function isSameRun(left: RecentRun, right: RecentRun): boolean {
  return left.jobName === right.jobName && identifyingTime(left).getTime() === identifyingTime(right).getTime();
}

type RunStart = Pick<RecentRun, 'createdTime' | 'scheduledTime' | 'jobName'>;

/** By creation time, then by slot, then by name. */
export function newestFirst(left: RunStart, right: RunStart): number {
  const slotMs = ({ scheduledTime }: RunStart) => scheduledTime?.getTime() ?? 0;
  const byTime = right.createdTime.getTime() - left.createdTime.getTime() || slotMs(right) - slotMs(left);
  return byTime || (left.jobName < right.jobName ? 1 : -1);
}

/** Runs with existing Jobs that are new or differ from their entries. */
function changedRuns(input: HistoryInput, runs: readonly Run[], replaced: readonly Job[]): readonly RecentRun[] {
  const { recentRuns } = input;
  const wasReplaced = runs.some(isBeingDeleted) ? replacementCheck(input, runs) : NO_REPLACEMENT;
  const isReplaced = (run: Run) =>
    replaced.includes(run.job) || (isBeingDeleted(run) && wasReplaced(toRecentRun(run, 'Running')));
  const oldest = oldestListedTime(input);
  const changes: RecentRun[] = [];
  for (const run of runs) {
    const result = run.state !== 'Active' ? run.state : isReplaced(run) ? 'Replaced' : 'Running';
    const entry = findEntry(run, recentRuns);
    const isChange = entry === undefined ? isAfter(run.createdAt, oldest) : entry.result !== result && !isFinal(entry);
    if (isChange) changes.push(toRecentRun(run, result));
  }
  return changes;
}

/** Runs that were active and have no Job any more. */
function vanishedRuns(input: HistoryInput, runs: readonly Run[]): readonly RecentRun[] {
  const running = input.recentRuns.filter(({ result }) => result === 'Running');
  if (running.length === 0) return [];
  const present = new Set(runs.map((run) => findEntry(run, running)));
  const gone = running.filter((run) => !present.has(run));
  const hasNewer = gone.length === 0 ? NO_REPLACEMENT : replacementCheck(input, runs);
  return gone.map((run) =>
    hasNewer(run) ? { ...run, result: 'Replaced' } : { ...run, result: 'Unknown', reason: 'JobDeleted' },
  );
}

function isBeingDeleted({ job }: Run): boolean {
  return job.metadata.deletionTimestamp !== undefined;
}

/** Whether an existing or listed run may have replaced a run. */
function replacementCheck({ cronJob, recentRuns }: HistoryInput, runs: readonly Run[]): (run: RecentRun) => boolean {
  if (cronJob.spec.concurrencyPolicy !== 'Replace') return NO_REPLACEMENT;
  const all = [...runs.map((run) => toRecentRun(run, 'Running')), ...recentRuns];
  const created = latest(BEFORE_ALL, ...all.map(({ createdTime }) => createdTime));
  const slot = latest(BEFORE_ALL, ...all.map(({ scheduledTime }) => scheduledTime));
  return ({ createdTime, scheduledTime = slot }) => isAfter(created, createdTime) || isAfter(slot, scheduledTime);
}

const NO_REPLACEMENT = () => false;

/** Whether the run has ended and its entry is final. */
function isFinal({ result }: RecentRun): boolean {
  return result !== 'Running' && result !== 'Unknown';
}

/** The run as the list has it. */
function toRecentRun(run: Run, result: RunResult): RecentRun {
  const { job, trigger, slot: scheduledTime, finishedAt, failureReason: reason, message } = run;
  return {
    jobName: job.metadata.name,
    trigger,
    scheduledTime,
    createdTime: run.createdAt,
    startTime: finishedAt && run.startedAt,
    completionTime: finishedAt,
    result,
    reason,
    message,
  };
}

/** Whether the run has finished and the status does not have its result. */
export function isResultNew(run: Run, input: HistoryInput): boolean {
  const { status, recentRuns } = input;
  if (run.state === 'Active') return false;
  const entry = findEntry(run, recentRuns);
  if (entry !== undefined) return !isFinal(entry);
  // A status without a list has recorded no run yet, or the limit was 0.
  const isListed = status.recentRuns !== undefined || status.lastRun === undefined;
  if (isListed && isAfter(run.createdAt, oldestListedTime(input))) return true;
  if (status.active?.some(({ uid }) => uid === run.job.metadata.uid)) return true;
  const recorded = latest(parseTime(status.lastSuccessfulTime), parseTime(status.lastFailureTime));
  return run.finishedAt !== undefined && (recorded === undefined || run.finishedAt > recorded);
}

/**
 * Whether the status records how the Job of an active run ended, or that it was deleted to be replaced: then the cached Job is
 * older than the status. A Job that another client created under the same name is current.
 */
export function isOutdated(run: Run, { recentRuns, status }: Pick<HistoryInput, 'recentRuns' | 'status'>): boolean {
  if (run.state !== 'Active') return false;
  const entry = findEntry(run, recentRuns);
  if (entry === undefined) return hasEndedAsLastRun(run, status);
  if (!isFinal(entry) || (entry.result === 'Replaced' && isBeingDeleted(run))) return false;
  return entry.createdTime.getTime() === run.createdAt.getTime();
}

/** With a limit of 0, the status lists no runs. */
function hasEndedAsLastRun(run: Run, { lastRun }: CronJobStatus): boolean {
  const endedAt = parseTime(lastRun?.completionTime);
  return lastRun?.jobName === run.job.metadata.name && endedAt !== undefined && !isAfter(run.createdAt, endedAt);
}

/** A run without an entry gets one if its Job was created after this time, which is when a full list begins. */
function oldestListedTime({ cronJob, recentRuns }: HistoryInput): Date {
  const oldest = recentRuns.length < getRecentLimit(cronJob.spec) ? undefined : recentRuns.at(-1);
  return oldest?.createdTime ?? BEFORE_ALL;
}

const BEFORE_ALL = new Date(-1);

/** The finished runs whose Jobs can be deleted without losing a result: the result is listed, or the list has only newer runs. */
function filterListed(runs: readonly Run[], status: CronJobStatus, { spec }: Pick<CronJob, 'spec'>): readonly Run[] {
  if (runs.length === 0) return runs;
  const recentRuns = parseRecentRuns(status);
  const isFull = recentRuns.length >= getRecentLimit(spec);
  return runs.filter((run) => {
    const entry = findEntry(run, recentRuns);
    return entry === undefined ? isFull : entry.result !== 'Running';
  });
}

/**
 * The finished Jobs beyond the history limits, oldest first; empty for a CronJob that is being deleted.
 *
 * A Job proves that its slot ran. It may be deleted only when the stored status proves that too. Otherwise a crash after the delete
 * would run the slot again.
 *
 * @param cronJob With the stored status.
 * @param recorded The status that was sent: results count as recorded even if another CRD drops them, because it always will.
 */
export function jobsToPrune(
  cronJob: CronJob,
  runs: readonly Run[],
  recorded: CronJobStatus = cronJob.status ?? {},
): readonly Job[] {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return [];
  const controlled = runs.filter(({ job }) => isControlledBy(cronJob, job));
  const excess = [
    ...beyondLimit(controlled, 'Succeeded', spec.successfulJobsHistoryLimit),
    ...beyondLimit(controlled, 'Failed', spec.failedJobsHistoryLimit),
  ].filter((run) => isRunStored(run, cronJob, runs) && isResultRecorded(run, recorded));
  return filterListed(excess, recorded, cronJob).map((run) => run.job);
}

function beyondLimit(runs: readonly Run[], state: 'Succeeded' | 'Failed', limit: number): readonly Run[] {
  const finished = runs.filter((run) => run.state === state && run.job.metadata.deletionTimestamp === undefined);
  const excess = finished.length - limit;
  return excess <= 0 ? [] : finished.toSorted(byStartTime).slice(0, excess);
}

/** The order of Kubernetes' own controller: by start time, Jobs without one last, then by name. */
function byStartTime({ job: left }: Run, { job: right }: Run): number {
  const startTimeMs = (job: Job) => parseTime(job.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  const [leftStart, rightStart] = [startTimeMs(left), startTimeMs(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

/** Whether the stored status proves, without the Job, that the run was started. */
export function isRunStored(run: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const { status = {} } = cronJob;
  const { slot } = run;
  if (slot === undefined) return !isOnlyProofOfManualRun(run, cronJob, runs);
  return [status.lastScheduleTime, status.handledThrough].some((time) => isAtOrAfter(time, slot));
}

/** A Job that finished without a time changes no time of the status. Only `lastRun` records its result, while the run is the newest. */
function isResultRecorded({ job, state, finishedAt }: Run, recorded: CronJobStatus): boolean {
  const { lastRun, lastSuccessfulTime, lastFailureTime } = recorded;
  if (finishedAt === undefined) return lastRun?.jobName !== job.metadata.name || lastRun.result === state;
  return isAtOrAfter(state === 'Succeeded' ? lastSuccessfulTime : lastFailureTime, finishedAt);
}

/** Whether this Job is the only proof that the value of the run-now annotation was handled. */
function isOnlyProofOfManualRun({ job }: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const runNow = assessRunNow(cronJob, runs);
  return runNow.kind === 'Handled' && runNowJobName(cronJob, runNow.value) === job.metadata.name;
}

function isAtOrAfter(stored: string | undefined, time: Date): boolean {
  const instant = parseTime(stored);
  return instant !== undefined && instant >= time;
}
