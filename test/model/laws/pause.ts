/** Laws of pauses after failed runs. */
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { belongsTo, getJobName, getRunId, getSlot, type ModelState } from '../state.ts';
import { parseResults } from './results.ts';

/** No slot starts while the cache and the API server agree on a pause that has not ended. */
export function checkPausedStart(state: ModelState, job: Job): readonly string[] {
  const { cachedCronJob, cronJob } = state;
  if (getSlot(getRunId(job)) === undefined || ![cachedCronJob, cronJob].every(isPaused)) return [];
  return hasSuccess(state) ? [] : [`${job.metadata.name} starts during a pause`];
}

function isPaused(cronJob: CronJob | undefined): boolean {
  if (cronJob?.spec.pauseAfterFailures === undefined) return false;
  const { metadata, status = {} } = cronJob;
  const hasResumeRequest = metadata.annotations?.[RESUME_ANNOTATION] !== status.lastResume;
  return status.paused !== undefined && !hasResumeRequest && metadata.generation === status.observedGeneration;
}

/** The success of a manual run ends a pause. */
function hasSuccess({ runResults }: ModelState): boolean {
  return Object.values(runResults).includes('Succeeded');
}

/** The status counts only failures that have happened, and pauses only for them. */
export function checkFailureCount(state: ModelState, cronJob: CronJob): readonly string[] {
  const { consecutiveFailures = 0, paused } = cronJob.status ?? {};
  const { pauseAfterFailures = 0 } = cronJob.spec;
  const count = listFailedSlots(state, cronJob).length;
  const isEarly = paused !== undefined && count < pauseAfterFailures;
  return [
    ...(consecutiveFailures > count
      ? [`consecutiveFailures is ${consecutiveFailures}, but ${count} runs have failed`]
      : []),
    ...(isEarly ? [`the CronJob is paused, but only ${count} runs have failed`] : []),
  ];
}

/** The CronJob is paused when every run has failed, and no user has requested another run. */
export function checkMissingPause(state: ModelState, cronJob: CronJob): readonly string[] {
  const { remaining, scenario } = state;
  const { pauseAfterFailures } = cronJob.spec;
  const hasUserAction = remaining.resumes < scenario.budget.resumes || remaining.suspends < scenario.budget.suspends;
  if (pauseAfterFailures === undefined || hasUserAction || hasSuccess(state) || cronJob.status?.paused) return [];
  const results = parseResults(cronJob.status);
  const failed = listFailedSlots(state, cronJob).filter((runId) => results[getJobName(runId)] === 'Failed');
  return failed.length < pauseAfterFailures ? [] : [`${failed.length} runs have failed, but the CronJob is not paused`];
}

function listFailedSlots({ runResults }: ModelState, cronJob: CronJob): readonly string[] {
  return Object.keys(runResults).filter(
    (runId) => runResults[runId] === 'Failed' && belongsTo(runId, cronJob) && getSlot(runId) !== undefined,
  );
}
