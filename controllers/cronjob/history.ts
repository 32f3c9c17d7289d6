/** Which finished Jobs to delete. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { runNowJobName } from './job.ts';
import { parseTime, type Run } from './observed.ts';
import { runNowOf } from './run-now.ts';

/**
 * The finished Jobs beyond the history limits, oldest first.
 *
 * A Job is the proof that its slot was run. It may go only when the stored status proves that too; until then it waits for
 * the pass after the status write. Otherwise a crash between the delete and the write would run the slot again.
 */
export function jobsToPrune(cronJob: CronJob, runs: readonly Run[]): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  return [
    ...beyondLimit(runs, 'Succeeded', successfulJobsHistoryLimit),
    ...beyondLimit(runs, 'Failed', failedJobsHistoryLimit),
  ]
    .filter((run) => isAccountedFor(run, cronJob, runs))
    .map((run) => run.job);
}

/** Whether some finished Job is only waiting for its result to be stored before it can be deleted. */
export function isPruningPending(cronJob: CronJob, status: CronJobStatus, runs: readonly Run[]): boolean {
  return jobsToPrune({ ...cronJob, status }, runs).length > jobsToPrune(cronJob, runs).length;
}

function beyondLimit(runs: readonly Run[], state: 'Succeeded' | 'Failed', limit: number): readonly Run[] {
  const finished = runs
    .filter((run) => run.state === state && run.job.metadata.deletionTimestamp === undefined)
    .toSorted(byStartTime);
  return finished.slice(0, Math.max(0, finished.length - limit));
}

/** Upstream's order: by start time, Jobs without one last, names break ties. */
function byStartTime({ job: left }: Run, { job: right }: Run): number {
  const startOf = (job: Job) => parseTime(job.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  const [leftStart, rightStart] = [startOf(left), startOf(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

function isAccountedFor(run: Run, cronJob: CronJob, runs: readonly Run[]): boolean {
  const { status = {} } = cronJob;
  const { slot, state, finishedAt } = run;
  const isRunStored =
    slot === undefined
      ? !provesRunNow(run, cronJob, runs)
      : [status.lastScheduleTime, status.handledThrough].some((time) => isAtOrAfter(time, slot));
  const storedResult = state === 'Succeeded' ? status.lastSuccessfulTime : status.lastFailureTime;
  return isRunStored && (finishedAt === undefined || isAtOrAfter(storedResult, finishedAt));
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
