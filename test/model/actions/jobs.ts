/** Events of Jobs: they end, users delete them, their time to live ends, and the garbage collector deletes Jobs without an owner. */
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { START_TIMEOUT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { changeJob, findJob, finishJob, removeCronJob, removeJob, storeStranger } from '../api-server.ts';
import { isAccountedFor } from '../laws/proof.ts';
import { isFinished, jobNameOfRun, MINUTE_MS, ownerOf, runIdOf, type State, union } from '../state.ts';
import { type Step, spend } from './step.ts';

export function jobSteps(state: State): readonly Step[] {
  return [
    ...state.jobs.flatMap((job) => [
      ...starts(state, job),
      ...endings(state, job),
      ...timeouts(state, job),
      ...deletions(state, job),
      ...collections(state, job),
    ]),
    ...ownerGone(state),
    ...strangers(state),
  ];
}

function endings(state: State, job: Job): readonly Step[] {
  if (state.left.finishes === 0 || isFinished(job) || ownerOf(job) === undefined) return [];
  return (['Succeeded', 'Failed'] as const).map((result) => ({
    what: `${job.metadata.name} has ${result.toLowerCase()}`,
    state: finishJob(spend(state, 'finishes'), job, result),
  }));
}

function deletions(state: State, job: Job): readonly Step[] {
  const { name, deletionTimestamp } = job.metadata;
  if (deletionTimestamp !== undefined) return [{ what: `${name} is gone`, state: gone(state, job) }];
  if (state.left.deletions === 0 || ownerOf(job) === undefined) return [];
  const spent = spend(state, 'deletions');
  if (isFinished(job)) return [{ what: `the time to live of ${name} ends`, state: gone(spent, job) }];
  const metadata = { ...job.metadata, deletionTimestamp: formatTime(new Date(state.nowMs)) };
  return [
    { what: `somebody deletes ${name}`, state: gone(spent, job) },
    { what: `somebody deletes ${name}, once its Pods are gone`, state: changeJob(spent, job, { metadata }) },
  ];
}

function gone(state: State, job: Job): State {
  const runId = runIdOf(job);
  const isUnknown = !state.known.includes(runId) && !isAccountedFor(state, runId);
  const unprovable = isUnknown ? union(state.unprovable, [runId]) : state.unprovable;
  return { ...removeJob(state, job), unprovable };
}

/** The garbage collector deletes the Jobs of a CronJob that is gone, or that has a foreground deletion. */
function collections(state: State, job: Job): readonly Step[] {
  return isGarbage(state, job)
    ? [{ what: `the garbage collector deletes ${job.metadata.name}`, state: gone(state, job) }]
    : [];
}

function isGarbage({ cronJob }: State, { metadata }: Job): boolean {
  const [owner] = metadata.ownerReferences ?? [];
  if (owner === undefined) return false;
  return owner.uid !== cronJob?.metadata.uid || cronJob.metadata.deletionTimestamp !== undefined;
}

function ownerGone(state: State): readonly Step[] {
  if (state.cronJob?.metadata.deletionTimestamp === undefined || state.jobs.some((job) => isGarbage(state, job)))
    return [];
  return [{ what: 'the garbage collector deletes the CronJob', state: removeCronJob(state) }];
}

/** A foreign Job with the name of a run whose Job is gone, or of the next slot. */
function strangers(state: State): readonly Step[] {
  if (state.left.strangers === 0) return [];
  const nextSlot = (state.nowMs - (state.nowMs % MINUTE_MS) + MINUTE_MS) / 1000;
  const names = [`c-${nextSlot}`, ...Object.keys(state.creates).map(jobNameOfRun)];
  const free = names.filter((name) => findJob(state, name) === undefined);
  return free.map((name) => ({
    what: `somebody else creates a Job ${name}`,
    state: storeStranger(spend(state, 'strangers'), name),
  }));
}

/** A container starts; the status of the Job shows it later. */
function starts(state: State, job: Job): readonly Step[] {
  const { name, uid } = job.metadata;
  if (isFinished(job) || ownerOf(job) === undefined) return [];
  if (!state.started.includes(uid)) {
    if (state.left.starts === 0) return [];
    const started = union(state.started, [uid]);
    return [{ what: `a container of ${name} starts`, state: { ...spend(state, 'starts'), started } }];
  }
  if (job.status?.ready !== undefined) return [];
  return [
    { what: `${name} says that it is ready`, state: changeJob(state, job, { status: { ...job.status, ready: 1 } }) },
  ];
}

/** The Job controller ends a Job with a deadline from the manager. */
function timeouts(state: State, job: Job): readonly Step[] {
  if (isFinished(job) || job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] === undefined) return [];
  const { name } = job.metadata;
  return [{ what: `the Job controller ends ${name}`, state: finishJob(state, job, 'Failed', 'DeadlineExceeded') }];
}
