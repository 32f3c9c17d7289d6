/** Which finished Jobs to delete. */
import type { Job } from '../../api/kubernetes.ts';
import { parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type Run, runNowJobName, runNowOf } from './job.ts';

/**
 * The finished Jobs beyond the history limits, oldest first; none of a CronJob that is being deleted.
 *
 * A Job is the proof that its slot was run. It may go only when the status that the API server has proves that too. Otherwise a
 * crash after the delete would run the slot again.
 *
 * @param cronJob With the status that the API server has.
 * @param recorded The results that were given to the API server: an older CRD may not keep those, and never will.
 */
export function jobsToPrune(
  cronJob: CronJob,
  runs: readonly Run[],
  recorded: CronJobStatus = cronJob.status ?? {},
): readonly Job[] {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return [];
  return [
    ...beyondLimit(runs, 'Succeeded', spec.successfulJobsHistoryLimit),
    ...beyondLimit(runs, 'Failed', spec.failedJobsHistoryLimit),
  ]
    .filter((run) => isRunStored(run, cronJob, runs) && isResultRecorded(run, recorded))
    .map((run) => run.job);
}

function beyondLimit(runs: readonly Run[], state: 'Succeeded' | 'Failed', limit: number): readonly Run[] {
  const finished = runs.filter((run) => run.state === state && run.job.metadata.deletionTimestamp === undefined);
  const excess = finished.length - limit;
  return excess <= 0 ? [] : finished.toSorted(byStartTime).slice(0, excess);
}

/** Upstream's order: by start time, Jobs without one last, names break ties. */
function byStartTime({ job: left }: Run, { job: right }: Run): number {
  const startOf = (job: Job) => parseTime(job.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  const [leftStart, rightStart] = [startOf(left), startOf(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

function isRunStored(run: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const { status = {} } = cronJob;
  const { slot } = run;
  if (slot === undefined) return !provesRunNow(run, cronJob, runs);
  return [status.lastScheduleTime, status.handledThrough].some((time) => isAtOrAfter(time, slot));
}

/** An end that nobody dated moves no time of the status; only `lastRun` can tell its result, while it is the newest. */
function isResultRecorded({ job, state, finishedAt }: Run, recorded: CronJobStatus): boolean {
  const { lastRun, lastSuccessfulTime, lastFailureTime } = recorded;
  if (finishedAt === undefined) return lastRun?.jobName !== job.metadata.name || lastRun.result === state;
  return isAtOrAfter(state === 'Succeeded' ? lastSuccessfulTime : lastFailureTime, finishedAt);
}

/** Whether only this Job shows that the value of the run-now annotation was served. */
function provesRunNow({ job }: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const runNow = runNowOf(cronJob, runs);
  return runNow.kind === 'Settled' && runNowJobName(cronJob, runNow.value) === job.metadata.name;
}

function isAtOrAfter(stored: string | undefined, time: Date): boolean {
  const instant = parseTime(stored);
  return instant !== undefined && instant >= time;
}
