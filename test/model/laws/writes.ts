/** Laws of each write when it arrives at the API server. Each law returns its violations, as sentences. */
import type { Job } from '../../../api/kubernetes.ts';
import { getRunLimit, isBlocking } from '../../simulation/facts.ts';
import { findJob } from '../api-server.ts';
import {
  belongsTo,
  clockMs,
  deadlineMs,
  getJobName,
  getOwnerUid,
  getRunId,
  getSlot,
  isExcluded,
  isInWindow,
  isRequestedRun,
  type ModelState,
  startMs,
} from '../state.ts';
import type { WriteRequest } from '../write-request.ts';
import { checkPausedStart } from './pause.ts';
import { checkRequestedDeletion, checkRequestedStart } from './requested.ts';
import { parseResults } from './results.ts';
import { checkUnrequestedRun } from './run-now.ts';
import { checkEndedJob } from './starts.ts';

/** @param state The state in which it arrives. */
export function checkWrite(state: ModelState, request: WriteRequest): readonly string[] {
  switch (request.kind) {
    case 'create':
      return checkCreate(state, request.job as Job);
    case 'delete':
      return checkDeletion(state, request);
    case 'end':
      return checkEndedJob(state, request.name);
    case 'updateStatus':
    case 'updateRequestStatus':
      return [];
  }
}

function checkCreate(state: ModelState, job: Job): readonly string[] {
  return [
    ...checkSecondRun(state, getRunId(job)),
    ...checkActiveRuns(state, job),
    ...checkOrder(state, job),
    ...checkExclusion(state, job),
    ...checkStartTime(state, job),
    ...checkStoppedCronJob(state, job),
    ...checkDeadline(state, job),
    ...checkUnrequestedRun(state, job),
    ...checkPausedStart(state, job),
    ...checkRequestedStart(state, job),
  ];
}

/**
 * A run starts at most once, unless its only Job was deleted before any status or result could show that it existed. When a manager that
 * has not seen the deletion of a CronJob creates a Job for it, that Job is deleted like all other Jobs of the CronJob.
 */
function checkSecondRun({ cronJob, createCounts, untraceableRuns }: ModelState, runId: string): readonly string[] {
  const isFirst = (createCounts[runId] ?? 0) === 0;
  if (isFirst || untraceableRuns.includes(runId) || cronJob === undefined || !belongsTo(runId, cronJob)) return [];
  return [`${getJobName(runId)} runs a second time`];
}

/** No run starts beside as many runs as may be active, except for runs that an earlier manager has just started. */
function checkActiveRuns({ cronJob, jobs, strayRuns, cachedJobs }: ModelState, job: Job): readonly string[] {
  if (cronJob === undefined) return [];
  const isCached = (each: Job) => cachedJobs.some(({ metadata }) => metadata.uid === each.metadata.uid);
  const isUncachedStray = (each: Job) => strayRuns.includes(getRunId(each)) && !isCached(each);
  const others = jobs.filter(
    (each) => isBlocking(each, cronJob) && getOwnerUid(each) === getOwnerUid(job) && !isUncachedStray(each),
  );
  return others.length < getRunLimit(cronJob)
    ? []
    : others.map(({ metadata }) => `${job.metadata.name} starts beside ${metadata.name}`);
}

/**
 * Slots start in the order of time, unless an earlier manager starts one of them, or a fast clock has started the later one before its time.
 */
function checkOrder(state: ModelState, job: Job): readonly string[] {
  const { cronJob, createCounts, inFlight, strayRuns } = state;
  const slot = getSlot(getRunId(job));
  if (slot === undefined || cronJob === undefined || inFlight !== undefined) return [];
  const later = Object.keys(createCounts).filter((runId) => {
    const otherSlot = getSlot(runId) ?? slot;
    const isLater = otherSlot > slot && startMs(cronJob, otherSlot) <= clockMs(state);
    return isLater && belongsTo(runId, cronJob) && !strayRuns.includes(runId);
  });
  return later.map((runId) => `${job.metadata.name} starts after ${getJobName(runId)}`);
}

function checkExclusion({ cachedCronJob }: ModelState, job: Job): readonly string[] {
  const slot = getSlot(getRunId(job));
  const isFaulty = slot !== undefined && cachedCronJob !== undefined && isExcluded(cachedCronJob, slot);
  return isFaulty ? [`${job.metadata.name} starts at an excluded time`] : [];
}

/** No slot starts before its delay is over, or outside of its window. */
function checkStartTime(state: ModelState, job: Job): readonly string[] {
  const { cachedCronJob } = state;
  const slot = getSlot(getRunId(job));
  if (slot === undefined || cachedCronJob === undefined) return [];
  return [
    ...(startMs(cachedCronJob, slot) > clockMs(state) ? [`${job.metadata.name} starts before its time`] : []),
    ...(isInWindow(cachedCronJob, slot) ? [] : [`${job.metadata.name} starts outside of startTime and endTime`]),
  ];
}

/**
 * No Job starts that neither the cache nor the API server wants: for a CronJob that is gone or being deleted, or for a slot while it is
 * suspended.
 */
function checkStoppedCronJob({ cachedCronJob, cronJob }: ModelState, job: Job): readonly string[] {
  const { name } = job.metadata;
  const isSlot = getSlot(getRunId(job)) !== undefined;
  const isWanted = [cachedCronJob, cronJob].some(
    (each) => each && each.metadata.deletionTimestamp === undefined && !(isSlot && each.spec.suspend),
  );
  return isWanted ? [] : [`${name} starts, but the CronJob is deleted, suspended or being deleted`];
}

/** No slot starts after its deadline. */
function checkDeadline(state: ModelState, job: Job): readonly string[] {
  const { cachedCronJob } = state;
  const slot = getSlot(getRunId(job));
  if (slot === undefined || cachedCronJob === undefined) return [];
  const isLate = startMs(cachedCronJob, slot) <= clockMs(state) - deadlineMs(cachedCronJob.spec);
  return isLate ? [`${job.metadata.name} starts after its deadline`] : [];
}

/** The manager does not delete the Job of another owner, or a finished Job whose result the API server does not have. */
function checkDeletion(
  state: ModelState,
  { name, isHistory }: Extract<WriteRequest, { kind: 'delete' }>,
): readonly string[] {
  const job = findJob(state, name);
  if (job === undefined) return [];
  const runId = getRunId(job);
  if (state.createCounts[runId] === undefined) return [`${name} is deleted, but belongs to another owner`];
  // Replace may delete a Job that the cache still shows as active. The Jobs of a deleted CronJob are deleted anyway.
  if (!isHistory || state.cronJob === undefined || !belongsTo(runId, state.cronJob)) return [];
  const result = parseResults(state.cronJob?.status)[name];
  const isStored = result === state.runResults[runId];
  return [
    ...(isStored ? [] : [`${name} is deleted, and its result ${state.runResults[runId]} is not stored`]),
    ...(isRequestedRun(runId) ? checkRequestedDeletion(state, name) : []),
  ];
}
