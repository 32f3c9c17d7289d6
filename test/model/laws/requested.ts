/** Laws of the runs that the CronJobRun of a scenario starts, and of its status. */
import type { Job } from '../../../api/kubernetes.ts';
import { parseTime } from '../../../api/time.ts';
import type { CronJobRun, RequestedJob } from '../../../api/v1/cronjobrun-types.ts';
import { parseRequestedSlot } from '../../../api/v1/job-names.ts';
import { isBlocking } from '../../simulation/facts.ts';
import { findJob } from '../api-server.ts';
import { hasRequestFinished } from '../request-state.ts';
import {
  belongsTo,
  getJobName,
  getRunId,
  isBlocked,
  isFinished,
  isRequestedRun,
  MINUTE_MS,
  type ModelState,
} from '../state.ts';

/** No run starts that neither the cache nor the API server wants. The runs start one at a time, in the order of the request. */
export function checkRequestedStart(state: ModelState, job: Job): readonly string[] {
  const runId = getRunId(job);
  if (!isRequestedRun(runId)) return [];
  const { name } = job.metadata;
  const { cached, written, stored } = state.request;
  const isWanted = [written ?? cached, stored].some(
    (request) => request && !request.spec.suspend && !hasRequestFinished(request),
  );
  const isCached = (each: Job) => state.cachedJobs.some(({ metadata }) => metadata.uid === each.metadata.uid);
  const others = state.jobs.filter(
    (each) => isRequestedRun(getRunId(each)) && !isFinished(each) && each.metadata.name !== name && isCached(each),
  );
  const slot = parseRequestedSlot(name);
  const later = listRequestedRuns(state).filter(
    (each) => slot !== undefined && (parseRequestedSlot(getJobName(each)) ?? slot) > slot,
  );
  return [
    ...(isWanted ? [] : [`${name} starts, but its CronJobRun is gone, suspended or finished`]),
    ...others.map(({ metadata }) => `${name} starts beside ${metadata.name} of the same CronJobRun`),
    ...later.map((each) => `${name} starts after ${getJobName(each)}`),
  ];
}

/** Requested runs, except for those of an earlier manager. */
function listRequestedRuns({ createCounts, strayRuns }: ModelState): readonly string[] {
  return Object.keys(createCounts).filter((runId) => isRequestedRun(runId) && !strayRuns.includes(runId));
}

/** The number of runs that the CronJobRun asks for. */
function countRequested({ spec: { backfill } }: CronJobRun): number {
  if (backfill === undefined) return 1;
  const [start, end] = [backfill.startTime, backfill.endTime].map((time) => parseTime(time)?.getTime() ?? 0);
  return ((end ?? 0) - (start ?? 0)) / MINUTE_MS;
}

/** The status claims only what has happened. */
export function checkRequestStatus(state: ModelState): readonly string[] {
  const { stored } = state.request;
  const { status } = stored ?? {};
  if (stored === undefined || status === undefined) return [];
  const { jobs = [], active = 0, succeeded = 0, failed = 0, skipped = 0, total = 0 } = status;
  const wrong = jobs.flatMap((job) => checkListedJob(state, job));
  const isRefused = status.conditions?.some(({ type, status: value }) => type === 'Accepted' && value !== 'True');
  const isFalseEnd = hasRequestFinished(stored) && !isRefused && (active > 0 || total !== succeeded + failed + skipped);
  return [
    ...wrong,
    ...(active + succeeded + failed > jobs.length ? ['the CronJobRun counts more runs than it lists'] : []),
    ...(total > countRequested(stored) ? [`the CronJobRun has ${total} runs`] : []),
    ...(isFalseEnd ? ['the CronJobRun has finished, but some runs have not'] : []),
  ];
}

function checkListedJob(state: ModelState, { name, result }: RequestedJob): readonly string[] {
  const runId = Object.keys(state.createCounts).find((each) => getJobName(each) === name);
  if (runId === undefined) return [`${name} is listed by the CronJobRun, but was never created`];
  if (state.untraceableRuns.includes(runId)) return []; // it may have run again
  const end = state.runResults[runId] ?? 'active';
  if (result === 'Succeeded' || result === 'Failed')
    return result === end ? [] : [`${name} is ${result} in the CronJobRun, but is ${end}`];
  const isWrong = result === 'Unknown' && findJob(state, name);
  return isWrong ? [`${name} is Unknown in the CronJobRun, but its Job exists`] : [];
}

/** At rest, the CronJobRun has finished, is suspended, or waits for a run. */
export function checkQuietRequest(state: ModelState): readonly string[] {
  const { request, cronJob, jobs } = state;
  const { stored } = request;
  if (stored === undefined) return [];
  const { status } = stored;
  if (status === undefined) return ['the CronJobRun has no status'];
  if (hasRequestFinished(stored)) return checkUncountedRuns(state, stored);
  const ownActive = jobs.filter((job) => isRequestedRun(getRunId(job)) && !isFinished(job));
  const mayWait =
    stored.spec.suspend ||
    ownActive.length > 0 ||
    cronJob === undefined ||
    cronJob.metadata.deletionTimestamp !== undefined ||
    isBlocked(jobs, cronJob) ||
    isReplacing(state);
  return [
    ...(mayWait ? [] : ['the CronJobRun has not finished, and nothing makes it wait']),
    ...checkUncountedRuns(state, stored),
  ];
}

/** Whether runs that a run would replace, or start beside, are active. */
function isReplacing({ cronJob, jobs }: ModelState): boolean {
  if (cronJob?.spec.concurrencyPolicy === 'Skip') return jobs.some((job) => isBlocking(job, cronJob));
  return cronJob?.spec.concurrencyPolicy === 'Replace' && jobs.some((job) => !isFinished(job));
}

/**
 * Each run that has started is listed, and each result. A run of a CronJob that is gone or being deleted ends with it, and a process
 * that starts now does not look for it.
 */
function checkUncountedRuns(state: ModelState, { status, metadata }: CronJobRun): readonly string[] {
  const results = new Map((status?.jobs ?? []).map(({ name, result }) => [name, result]));
  const unlisted = listRequestedRuns(state).filter(
    (runId) => !results.has(getJobName(runId)) && !state.untraceableRuns.includes(runId) && isOfCronJob(state, runId),
  );
  const running = [...results].filter(
    ([name, result]) =>
      result === 'Running' && !state.jobs.some((job) => job.metadata.name === name && !isFinished(job)),
  );
  return [
    ...unlisted.map((runId) => `${getJobName(runId)} has started, but ${metadata.name} does not list it`),
    ...running.map(([name]) => `${name} is Running in ${metadata.name}, but is not active`),
  ];
}

/** Whether the CronJob of the run stays. */
function isOfCronJob({ cronJob }: ModelState, runId: string): boolean {
  return cronJob !== undefined && cronJob.metadata.deletionTimestamp === undefined && belongsTo(runId, cronJob);
}

/** The result of a Job that the manager deletes is stored in the CronJobRun. */
export function checkRequestedDeletion(state: ModelState, name: string): readonly string[] {
  const { stored } = state.request;
  const job = findJob(state, name);
  if (stored === undefined || job === undefined || !belongsTo(getRunId(job), state.cronJob as never)) return [];
  const entry = stored.status?.jobs?.find((each) => each.name === name);
  return entry?.result === state.runResults[getRunId(job)]
    ? []
    : [`${name} is deleted, and the CronJobRun has not its result`];
}
