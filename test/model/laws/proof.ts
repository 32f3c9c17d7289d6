/** What a process can know of a run whose Job is gone. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isRunOf, jobNameOfRun, runIdOf, type State, slotOfRun, union } from '../state.ts';
import { recordedResults } from './results.ts';
import { isAnswered } from './run-now.ts';

/**
 * Whether a status that the process can read shows that the run need not start any more. A status that an earlier manager has stored since
 * the process began arrives with the watch, and the end of the Job may arrive first.
 */
export function isAccountedFor({ isUnsure, written, cachedCronJob, cronJob }: State, runId: string): boolean {
  return accountsFor(isUnsure ? cronJob : (written ?? cachedCronJob), runId);
}

function accountsFor(cronJob: CronJob | undefined, runId: string): boolean {
  if (cronJob === undefined || !isRunOf(runId, cronJob)) return true;
  const { lastScheduleTime, handledThrough } = cronJob.status ?? {};
  const slot = slotOfRun(runId);
  if (slot === undefined) return isAnswered(cronJob, runId);
  return [lastScheduleTime, handledThrough].some((time) => (parseTime(time)?.getTime() ?? 0) >= slot.getTime());
}

/** Runs of deleted Jobs that no status or result accounts for: a process that starts now cannot know of them. */
export function unprovableAfterCrash(state: State): readonly string[] {
  const present = new Set(state.jobs.map(runIdOf));
  const results = recordedResults(state.cronJob?.status);
  const isForgotten = (runId: string) =>
    !present.has(runId) && (!accountsFor(state.cronJob, runId) || results[jobNameOfRun(runId)] === undefined);
  return union(state.unprovable, Object.keys(state.creates).filter(isForgotten));
}
