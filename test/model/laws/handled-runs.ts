/** What a process can know of a run whose Job is gone. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { belongsTo, getJobName, getRunId, getSlot, type ModelState, union } from '../state.ts';
import { parseResults } from './results.ts';
import { isManualRunHandled } from './run-now.ts';

/**
 * Whether a status that the process can read shows that the run need not start any more. A status that an earlier manager has stored since
 * the process began arrives with the watch, and the end of the Job may arrive first.
 */
export function isRunHandled(
  { isStatusUncertain, writtenCronJob, cachedCronJob, cronJob }: ModelState,
  runId: string,
): boolean {
  return handlesRun(isStatusUncertain ? cronJob : (writtenCronJob ?? cachedCronJob), runId);
}

function handlesRun(cronJob: CronJob | undefined, runId: string): boolean {
  if (cronJob === undefined || !belongsTo(runId, cronJob)) return true;
  const { lastScheduleTime, handledThrough } = cronJob.status ?? {};
  const slot = getSlot(runId);
  if (slot === undefined) return isManualRunHandled(cronJob, runId);
  return [lastScheduleTime, handledThrough].some((time) => (parseTime(time)?.getTime() ?? 0) >= slot.getTime());
}

/** Runs of deleted Jobs that no status or result accounts for: a process that starts now cannot know of them. */
export function findUntraceableRuns(state: ModelState): readonly string[] {
  const existingRuns = new Set(state.jobs.map(getRunId));
  const results = parseResults(state.cronJob?.status);
  const isUntraceable = (runId: string) =>
    !existingRuns.has(runId) && (!handlesRun(state.cronJob, runId) || results[getJobName(runId)] === undefined);
  return union(state.untraceableRuns, Object.keys(state.createCounts).filter(isUntraceable));
}
