/** What can be known of a run whose Job is gone. */
import { parseTime } from '../../../api/time.ts';
import { isRunOf, jobNameOfRun, runIdOf, type State, slotOfRun, union } from '../state.ts';
import { recordedResults } from './status.ts';

/** Whether the stored status says that the run need not start any more. */
export function isAccountedFor({ cronJob }: State, runId: string): boolean {
  if (cronJob === undefined || !isRunOf(runId, cronJob)) return true;
  const { lastScheduleTime, handledThrough } = cronJob.status ?? {};
  const slot = slotOfRun(runId);
  if (slot === undefined) return true;
  return [lastScheduleTime, handledThrough].some((time) => (parseTime(time)?.getTime() ?? 0) >= slot.getTime());
}

/** Of Jobs that are gone, those whose runs nothing accounts for: a process that starts now cannot know of them. */
export function unprovableAfterCrash(state: State): readonly string[] {
  const present = new Set(state.jobs.map(runIdOf));
  const results = recordedResults(state.cronJob?.status);
  const isForgotten = (runId: string) =>
    !present.has(runId) && (!isAccountedFor(state, runId) || results[jobNameOfRun(runId)] === undefined);
  return union(state.unprovable, Object.keys(state.creates).filter(isForgotten));
}
