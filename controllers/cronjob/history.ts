/** Which finished Jobs to delete, by the history limits. */
import type { Job } from '../../api/kubernetes.ts';
import { parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import { isControlledBy, type Run, runNowOf } from './job.ts';
import { withListedResults } from './recent-runs.ts';

/**
 * The finished Jobs beyond the history limits, oldest first; none of a CronJob that is being deleted.
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
  return withListedResults(excess, recorded, cronJob).map((run) => run.job);
}

function beyondLimit(runs: readonly Run[], state: 'Succeeded' | 'Failed', limit: number): readonly Run[] {
  const finished = runs.filter((run) => run.state === state && run.job.metadata.deletionTimestamp === undefined);
  const excess = finished.length - limit;
  return excess <= 0 ? [] : finished.toSorted(byStartTime).slice(0, excess);
}

/** The order of Kubernetes' own controller: by start time, Jobs without one last, then by name. */
function byStartTime({ job: left }: Run, { job: right }: Run): number {
  const startOf = (job: Job) => parseTime(job.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  const [leftStart, rightStart] = [startOf(left), startOf(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

/** Whether the run could be told to have been started without its Job, by the stored status. */
export function isRunStored(run: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const { status = {} } = cronJob;
  const { slot } = run;
  if (slot === undefined) return !provesRunNow(run, cronJob, runs);
  return [status.lastScheduleTime, status.handledThrough].some((time) => isAtOrAfter(time, slot));
}

/** A Job that finished without a time changes no time of the status. Only `lastRun` records its result, while the run is the newest. */
function isResultRecorded({ job, state, finishedAt }: Run, recorded: CronJobStatus): boolean {
  const { lastRun, lastSuccessfulTime, lastFailureTime } = recorded;
  if (finishedAt === undefined) return lastRun?.jobName !== job.metadata.name || lastRun.result === state;
  return isAtOrAfter(state === 'Succeeded' ? lastSuccessfulTime : lastFailureTime, finishedAt);
}

/** Whether this Job is the only proof that the value of the run-now annotation was handled. */
function provesRunNow({ job }: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const runNow = runNowOf(cronJob, runs);
  return runNow.kind === 'Handled' && runNowJobName(cronJob, runNow.value) === job.metadata.name;
}

function isAtOrAfter(stored: string | undefined, time: Date): boolean {
  const instant = parseTime(stored);
  return instant !== undefined && instant >= time;
}
