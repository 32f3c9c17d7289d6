/** Laws of pauses after failed runs. */
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isRunOf, jobNameOfRun, runIdOf, type State, slotOfRun } from '../state.ts';
import { recordedResults } from './results.ts';

/** No slot starts while the cache and the API server agree on a pause that has not ended. */
export function pausedFault(state: State, job: Job): readonly string[] {
  const { cachedCronJob, cronJob } = state;
  if (slotOfRun(runIdOf(job)) === undefined || ![cachedCronJob, cronJob].every(isPaused)) return [];
  return hasSuccess(state) ? [] : [`${job.metadata.name} starts in a pause`];
}

function isPaused(cronJob: CronJob | undefined): boolean {
  if (cronJob?.spec.pauseAfterFailures === undefined) return false;
  const { metadata, status = {} } = cronJob;
  const isAsked = metadata.annotations?.[RESUME_ANNOTATION] !== status.lastResume;
  return status.paused !== undefined && !isAsked && metadata.generation === status.observedGeneration;
}

/** The success of a manual run ends a pause. */
function hasSuccess({ ends }: State): boolean {
  return Object.values(ends).includes('Succeeded');
}

/** The status counts only failures that have happened, and pauses only for them. */
export function countFaults(state: State, cronJob: CronJob): readonly string[] {
  const { consecutiveFailures = 0, paused } = cronJob.status ?? {};
  const { pauseAfterFailures = 0 } = cronJob.spec;
  const count = failedSlots(state, cronJob).length;
  const isEarly = paused !== undefined && count < pauseAfterFailures;
  return [
    ...(consecutiveFailures > count ? [`consecutiveFailures is ${consecutiveFailures}, and ${count} have failed`] : []),
    ...(isEarly ? [`it is paused, and ${count} runs have failed`] : []),
  ];
}

/** The CronJob is paused when every run has failed, and no user has requested another run. */
export function unpausedFault(state: State, cronJob: CronJob): readonly string[] {
  const { left, scenario } = state;
  const { pauseAfterFailures } = cronJob.spec;
  const isAsked = left.resumes < scenario.budget.resumes || left.suspends < scenario.budget.suspends;
  if (pauseAfterFailures === undefined || isAsked || hasSuccess(state) || cronJob.status?.paused) return [];
  const results = recordedResults(cronJob.status);
  const failed = failedSlots(state, cronJob).filter((runId) => results[jobNameOfRun(runId)] === 'Failed');
  return failed.length < pauseAfterFailures ? [] : [`${failed.length} runs have failed, and it is not paused`];
}

function failedSlots({ ends }: State, cronJob: CronJob): readonly string[] {
  return Object.keys(ends).filter(
    (runId) => ends[runId] === 'Failed' && isRunOf(runId, cronJob) && slotOfRun(runId) !== undefined,
  );
}
