/** What a process can know of a run whose Job is gone. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { hasRequestFinished, seenRequest } from '../request-state.ts';
import { belongsTo, getJobName, getRunId, getSlot, isRequestedRun, type ModelState, union } from '../state.ts';
import { parseResults } from './results.ts';
import { isManualRunHandled } from './run-now.ts';

/**
 * Whether a status that the process can read shows that the run need not start any more. A status that an earlier manager has stored since
 * the process began arrives with the watch, and the end of the Job may arrive first.
 */
export function isRunHandled(
  { isStatusUncertain, writtenCronJob, cachedCronJob, cronJob, request }: ModelState,
  runId: string,
): boolean {
  if (isRequestedRun(runId)) return handlesRequestedRun(seenRequest(request), runId);
  return handlesRun(isStatusUncertain ? cronJob : (writtenCronJob ?? cachedCronJob), runId);
}

function handlesRun(cronJob: CronJob | undefined, runId: string): boolean {
  if (cronJob === undefined || !belongsTo(runId, cronJob)) return true;
  const { lastScheduleTime, handledThrough } = cronJob.status ?? {};
  const slot = getSlot(runId);
  if (slot === undefined) return isManualRunHandled(cronJob, runId);
  return [lastScheduleTime, handledThrough].some((time) => (parseTime(time)?.getTime() ?? 0) >= slot.getTime());
}

/** A CronJobRun that is gone starts no runs. */
function handlesRequestedRun(request: CronJobRun | undefined, runId: string): boolean {
  if (request === undefined || hasRequestFinished(request)) return true;
  return request.status?.jobs?.some(({ name }) => name === getJobName(runId)) === true;
}

/** Runs of deleted Jobs that no status or result accounts for: a process that starts now cannot know of them. */
export function findUntraceableRuns(state: ModelState): readonly string[] {
  const isUntraceable = (runId: string) =>
    isRequestedRun(runId)
      ? !handlesRequestedRun(state.request.stored, runId)
      : !handlesRun(state.cronJob, runId) || !hasResult(state, runId);
  return union(state.untraceableRuns, listRunsWithoutJob(state).filter(isUntraceable));
}

/** Requested runs of deleted Jobs that the CronJob has not recorded: a process that starts now cannot know of them. */
export function findUnrecordedRuns(state: ModelState): readonly string[] {
  const isUnrecorded = (runId: string) => isRequestedRun(runId) && !hasResult(state, runId);
  return union(state.request.unrecordedRuns, listRunsWithoutJob(state).filter(isUnrecorded));
}

function hasResult({ cronJob }: ModelState, runId: string): boolean {
  return parseResults(cronJob?.status)[getJobName(runId)] !== undefined;
}

function listRunsWithoutJob({ jobs, createCounts }: ModelState): readonly string[] {
  const existingRuns = new Set(jobs.map(getRunId));
  return Object.keys(createCounts).filter((runId) => !existingRuns.has(runId));
}
