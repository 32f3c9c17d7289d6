/** The client with the guarantees of the runtime: CronJobs as this process last wrote them, Jobs as in the cache. */
import type { Client } from 'controller-runtime';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs, pods } from '../../controllers/resources.ts';
import { findJob } from './api-server.ts';
import type { Recording } from './recording.ts';
import { getOwnerUid, getRunId, isFinished, type ModelState, union } from './state.ts';
import { trimCronJobOnce } from './trimmed-objects.ts';
import type { EndJobPatch } from './write-request.ts';

interface ObjectName {
  readonly name: string;
}

export function createClient(recording: Recording): Client {
  const get = async ({ kind }: { readonly kind: string }, { name }: ObjectName) =>
    kind === cronJobs.kind ? getCronJob(recording) : getJob(recording, name);
  const list = async ({ kind }: { readonly kind: string }, { index, labelSelector = '' }: ListArguments) =>
    kind === pods.kind
      ? listPods(recording, labelSelector.slice(labelSelector.indexOf('=') + 1))
      : recording.state.cachedJobs.filter((job) => getOwnerUid(job) === index?.value);
  const create = async (_: unknown, job: NewJob) => {
    const created = recording.write(`create ${job.metadata.name}`, { kind: 'create', job }) as Job;
    recording.state = withKnownRuns(recording.state, [created]);
    return created;
  };
  const updateStatus = async (_: unknown, sent: CronJob) => writeStatus(recording, sent);
  const remove = async (_: unknown, { name }: ObjectName, { preconditions }: DeleteArguments = {}) => {
    const cached = recording.state.cachedJobs.find(({ metadata }) => metadata.name === name);
    const isHistory = cached !== undefined && isFinished(cached);
    recording.write(`delete ${name}`, { kind: 'delete', name, uid: preconditions?.uid, isHistory });
  };
  const patch = async (_: unknown, { name }: ObjectName, { body }: { readonly body: EndJobPatch }) =>
    recording.write(`end ${name}`, { kind: 'end', name, patch: body });
  return { get, list, create, updateStatus, patch, delete: remove } as unknown as Client; // the methods that a pass uses
}

interface ListArguments {
  readonly labelSelector?: string;
  readonly index?: { readonly value: string };
}

interface DeleteArguments {
  readonly preconditions?: { readonly uid?: string };
}

/** After a write without a response, reads from the API server until the cache has caught up. */
function getCronJob(recording: Recording): CronJob | undefined {
  const { isStatusUncertain, writtenCronJob, cachedCronJob } = recording.state;
  if (!isStatusUncertain) return writtenCronJob ?? cachedCronJob;
  const live = recording.read('get the CronJob', () => recording.state.cronJob);
  const isCaughtUp = live === undefined ? cachedCronJob === undefined : cachedCronJob && !isBehind(cachedCronJob, live);
  if (isCaughtUp) recording.state = { ...recording.state, isStatusUncertain: false };
  return live && trimCronJobOnce(live);
}

function getJob(recording: Recording, name: string): Job | undefined {
  const job = recording.read(`get ${name}`, () => findJob(recording.state, name));
  if (job) recording.state = withKnownRuns(recording.state, [job]);
  return job;
}

/** The one Pod of a Job. */
function listPods(recording: Recording, jobUid: string): readonly unknown[] {
  return recording.read('list Pods', () => {
    const running = recording.state.startedJobs.includes(jobUid);
    const initContainerStatuses = running ? [{ restartCount: 0, state: { running: {} } }] : [];
    return [{ metadata: { name: 'pod' }, status: { initContainerStatuses } }];
  });
}

async function writeStatus(recording: Recording, sent: CronJob): Promise<CronJob> {
  try {
    const stored = recording.write('write the status', { kind: 'updateStatus', sent }) as CronJob;
    recording.state = { ...recording.state, writtenCronJob: trimCronJobOnce(stored), isStatusUncertain: false };
    return stored;
  } catch (error) {
    recording.state = { ...recording.state, isStatusUncertain: true };
    throw error;
  }
}

export function isBehind({ metadata: cached }: CronJob, { metadata: written }: CronJob): boolean {
  return Number(cached.resourceVersion) < Number(written.resourceVersion);
}

export function withKnownRuns(state: ModelState, jobs: readonly Job[]): ModelState {
  const knownRuns = union(state.knownRuns, jobs.map(getRunId));
  return knownRuns === state.knownRuns ? state : { ...state, knownRuns };
}
