/** Laws of each write when it arrives at the API server. Each law returns its violations, as sentences. */
import type { Job } from '../../../api/kubernetes.ts';
import { findJob } from '../api-server.ts';
import {
  clockMs,
  deadlineMs,
  isFinished,
  isRunOf,
  jobNameOfRun,
  ownerOf,
  runIdOf,
  type State,
  slotOfRun,
} from '../state.ts';
import type { WriteRequest } from '../write-request.ts';
import { pausedFault } from './pause.ts';
import { recordedResults } from './results.ts';
import { unaskedFault } from './run-now.ts';
import { endedFaults } from './starts.ts';

/** @param state The state in which it arrives. */
export function writeFaults(state: State, request: WriteRequest): readonly string[] {
  switch (request.kind) {
    case 'create':
      return createFaults(state, request.job as Job);
    case 'delete':
      return deletionFaults(state, request);
    case 'end':
      return endedFaults(state, request.name);
    case 'updateStatus':
      return [];
  }
}

function createFaults(state: State, job: Job): readonly string[] {
  return [
    ...secondRunFault(state, runIdOf(job)),
    ...companyFault(state, job),
    ...stoppedFault(state, job),
    ...lateFault(state, job),
    ...unaskedFault(state, job),
    ...pausedFault(state, job),
  ];
}

/**
 * A run starts at most once, unless its only Job was deleted before any status or result could show that it existed. When a manager that
 * has not seen the deletion of a CronJob creates a Job for it, that Job is deleted like all other Jobs of the CronJob.
 */
function secondRunFault({ cronJob, creates, unprovable }: State, runId: string): readonly string[] {
  const isFirst = (creates[runId] ?? 0) === 0;
  if (isFirst || unprovable.includes(runId) || cronJob === undefined || !isRunOf(runId, cronJob)) return [];
  return [`${jobNameOfRun(runId)} runs a second time`];
}

/** Under Forbid, no run starts beside another one, unless an earlier manager has just started that one. */
function companyFault({ cronJob, jobs, strays, cachedJobs }: State, job: Job): readonly string[] {
  if (cronJob?.spec.concurrencyPolicy !== 'Forbid') return [];
  const isCached = (each: Job) => cachedJobs.some(({ metadata }) => metadata.uid === each.metadata.uid);
  const isUnheard = (each: Job) => strays.includes(runIdOf(each)) && !isCached(each);
  const others = jobs.filter((each) => !isFinished(each) && ownerOf(each) === ownerOf(job) && !isUnheard(each));
  return others.map(({ metadata }) => `${job.metadata.name} starts beside ${metadata.name}`);
}

/**
 * No Job starts that neither the cache nor the API server wants: for a CronJob that is gone or being deleted, or for a slot while it is
 * suspended.
 */
function stoppedFault({ cachedCronJob, cronJob }: State, job: Job): readonly string[] {
  const { name } = job.metadata;
  const isSlot = slotOfRun(runIdOf(job)) !== undefined;
  const isWanted = [cachedCronJob, cronJob].some(
    (each) => each && each.metadata.deletionTimestamp === undefined && !(isSlot && each.spec.suspend),
  );
  return isWanted ? [] : [`${name} starts, and the CronJob is gone, suspended or being deleted`];
}

/** No slot starts after its deadline. */
function lateFault(state: State, job: Job): readonly string[] {
  const { cachedCronJob } = state;
  const slot = slotOfRun(runIdOf(job));
  if (slot === undefined || cachedCronJob === undefined) return [];
  const isLate = slot.getTime() <= clockMs(state) - deadlineMs(cachedCronJob.spec);
  return isLate ? [`${job.metadata.name} starts after its deadline`] : [];
}

/** The manager does not delete the Job of another owner, or a finished Job whose result the API server does not have. */
function deletionFaults(
  state: State,
  { name, isHistory }: Extract<WriteRequest, { kind: 'delete' }>,
): readonly string[] {
  const job = findJob(state, name);
  if (job === undefined) return [];
  const runId = runIdOf(job);
  if (state.creates[runId] === undefined) return [`${name} is deleted, and belongs to somebody else`];
  // Replace may delete a Job that the cache still shows as active. The Jobs of a deleted CronJob are deleted anyway.
  if (!isHistory || state.cronJob === undefined || !isRunOf(runId, state.cronJob)) return [];
  const result = recordedResults(state.cronJob?.status)[name];
  return result === state.ends[runId] ? [] : [`${name} is deleted, and its result ${state.ends[runId]} is not stored`];
}
