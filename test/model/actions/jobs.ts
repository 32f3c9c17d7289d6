/** Events of Jobs: they end, users delete them, their time to live ends, and the garbage collector deletes Jobs without an owner. */
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { START_TIMEOUT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { changeJob, findJob, finishJob, removeCronJob, removeJob, storeForeignJob } from '../api-server.ts';
import { isRunHandled } from '../laws/handled-runs.ts';
import {
  getJobName,
  getOwnerUid,
  getRunId,
  isFinished,
  isRequestedRun,
  MINUTE_MS,
  type ModelState,
  union,
} from '../state.ts';
import { type ModelStep, spend } from './step.ts';

export function jobSteps(state: ModelState): readonly ModelStep[] {
  return [
    ...state.jobs.flatMap((job) => [
      ...startSteps(state, job),
      ...finishSteps(state, job),
      ...terminationSteps(state, job),
      ...timeoutSteps(state, job),
      ...deletionSteps(state, job),
      ...garbageCollectionSteps(state, job),
    ]),
    ...ownerDeletionSteps(state),
    ...foreignJobSteps(state),
  ];
}

function finishSteps(state: ModelState, job: Job): readonly ModelStep[] {
  if (state.remaining.finishes === 0 || isFinished(job) || getOwnerUid(job) === undefined) return [];
  return (['Succeeded', 'Failed'] as const).flatMap((result) => {
    const description = `${job.metadata.name} has ${result.toLowerCase()}`;
    const spent = spend(state, 'finishes');
    const finished = { description, state: finishJob(spent, job, result) };
    if (state.remaining.terminations === 0) return [finished];
    const terminating = finishJob(
      spend(spent, 'terminations'),
      { ...job, status: { ...job.status, terminating: 1 } },
      result,
    );
    return [finished, { description: `${description}, and its Pods terminate`, state: terminating }];
  });
}

function terminationSteps(state: ModelState, job: Job): readonly ModelStep[] {
  if ((job.status?.terminating ?? 0) === 0) return [];
  const status = { ...job.status, terminating: 0 };
  return [{ description: `the Pods of ${job.metadata.name} are gone`, state: changeJob(state, job, { status }) }];
}

function deletionSteps(state: ModelState, job: Job): readonly ModelStep[] {
  const { name, deletionTimestamp } = job.metadata;
  if (deletionTimestamp !== undefined) return [{ description: `${name} is gone`, state: afterDeletion(state, job) }];
  if (state.remaining.deletions === 0 || getOwnerUid(job) === undefined) return [];
  const spent = spend(state, 'deletions');
  if (isFinished(job)) return [{ description: `the time to live of ${name} ends`, state: afterDeletion(spent, job) }];
  const metadata = { ...job.metadata, deletionTimestamp: formatTime(new Date(state.nowMs)) };
  return [
    { description: `a user deletes ${name}`, state: afterDeletion(spent, job) },
    { description: `a user deletes ${name} in the foreground`, state: changeJob(spent, job, { metadata }) },
  ];
}

function afterDeletion(state: ModelState, job: Job): ModelState {
  const runId = getRunId(job);
  const removed = removeJob(state, job);
  const knownRuns = isRequestedRun(runId) ? state.request.knownRuns : state.knownRuns;
  const isUnknown = !knownRuns.includes(runId) && !isRunHandled(state, runId);
  const isUnread = isRequestedRun(runId) && !state.knownRuns.includes(runId);
  return {
    ...removed,
    ...(isUnknown && { untraceableRuns: union(state.untraceableRuns, [runId]) }),
    ...(isUnread && {
      request: { ...state.request, unrecordedRuns: union(state.request.unrecordedRuns, [runId]) },
    }),
  };
}

/** The garbage collector deletes the Jobs of a CronJob that is gone, or that has a foreground deletion. */
function garbageCollectionSteps(state: ModelState, job: Job): readonly ModelStep[] {
  return isGarbage(state, job)
    ? [{ description: `the garbage collector deletes ${job.metadata.name}`, state: afterDeletion(state, job) }]
    : [];
}

function isGarbage({ cronJob }: ModelState, { metadata }: Job): boolean {
  const [owner] = metadata.ownerReferences ?? [];
  if (owner === undefined) return false;
  return owner.uid !== cronJob?.metadata.uid || cronJob.metadata.deletionTimestamp !== undefined;
}

function ownerDeletionSteps(state: ModelState): readonly ModelStep[] {
  if (state.cronJob?.metadata.deletionTimestamp === undefined || state.jobs.some((job) => isGarbage(state, job)))
    return [];
  return [{ description: 'the garbage collector deletes the CronJob', state: removeCronJob(state) }];
}

/** A foreign Job with the name of a run whose Job is gone, or of the next slot. */
function foreignJobSteps(state: ModelState): readonly ModelStep[] {
  if (state.remaining.strangers === 0) return [];
  const nextSlot = (state.nowMs - (state.nowMs % MINUTE_MS) + MINUTE_MS) / 1000;
  const names = [`c-${nextSlot}`, ...Object.keys(state.createCounts).map(getJobName)];
  const free = names.filter((name) => findJob(state, name) === undefined);
  return free.map((name) => ({
    description: `another client creates a Job ${name}`,
    state: storeForeignJob(spend(state, 'strangers'), name),
  }));
}

/** A container starts; the status of the Job shows it later. */
function startSteps(state: ModelState, job: Job): readonly ModelStep[] {
  const { name, uid } = job.metadata;
  if (isFinished(job) || getOwnerUid(job) === undefined) return [];
  if (!state.startedJobs.includes(uid)) {
    if (state.remaining.starts === 0) return [];
    const startedJobs = union(state.startedJobs, [uid]);
    return [{ description: `a container of ${name} starts`, state: { ...spend(state, 'starts'), startedJobs } }];
  }
  if (job.status?.ready !== undefined) return [];
  return [
    {
      description: `${name} is ready`,
      state: changeJob(state, job, { status: { ...job.status, ready: 1 } }),
    },
  ];
}

/** The Job controller ends a Job with a deadline from the manager. */
function timeoutSteps(state: ModelState, job: Job): readonly ModelStep[] {
  if (isFinished(job) || job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] === undefined) return [];
  const { name } = job.metadata;
  return [
    { description: `the Job controller ends ${name}`, state: finishJob(state, job, 'Failed', 'DeadlineExceeded') },
  ];
}
