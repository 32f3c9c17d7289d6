/** Laws of `startTimeoutSeconds`. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { findJob } from '../api-server.ts';
import { clockMs, getOwnerUid, isFinished, type ModelState } from '../state.ts';

/** The manager does not end a Job with a started container, or before its time is over. */
export function checkEndedJob(state: ModelState, name: string): readonly string[] {
  const job = findJob(state, name);
  const { startTimeoutSeconds = Number.POSITIVE_INFINITY } = state.cachedCronJob?.spec ?? {};
  if (job === undefined) return [];
  const deadlineMs = (parseTime(job.status?.startTime)?.getTime() ?? 0) + startTimeoutSeconds * 1000;
  return [
    ...(state.startedJobs.includes(job.metadata.uid) ? [`${name} is ended, but has started`] : []),
    ...(deadlineMs > clockMs(state) ? [`${name} is ended before its timeout`] : []),
  ];
}

/** At rest, each Job has started, still has time, or was ended. */
export function checkWaitingJobs(state: ModelState, { metadata, spec }: CronJob): readonly string[] {
  const { startTimeoutSeconds: seconds } = spec;
  if (seconds === undefined) return [];
  const overdue = state.jobs.filter(
    (job) =>
      getOwnerUid(job) === metadata.uid &&
      !isFinished(job) &&
      !state.startedJobs.includes(job.metadata.uid) &&
      job.metadata.deletionTimestamp === undefined &&
      job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] === undefined &&
      (parseTime(job.status?.startTime)?.getTime() ?? 0) + seconds * 1000 <= clockMs(state),
  );
  return overdue.map((job) => `${job.metadata.name} has not started in time, but was not ended`);
}
