/** The client with the guarantees of the runtime: CronJobs as this process last wrote them, Jobs as in the cache. */
import type { Client } from 'controller-runtime';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs, pods } from '../../controllers/resources.ts';
import { findJob } from './api-server.ts';
import { keptCronJob } from './kept.ts';
import type { Recording } from './recording.ts';
import { isFinished, ownerOf, runIdOf, type State, union } from './state.ts';
import type { EndPatch } from './write-request.ts';

interface Named {
  readonly name: string;
}

export function clientOf(recording: Recording): Client {
  const get = async ({ kind }: { readonly kind: string }, { name }: Named) =>
    kind === cronJobs.kind ? getCronJob(recording) : getJob(recording, name);
  const list = async ({ kind }: { readonly kind: string }, { index, labelSelector = '' }: ListOptions) =>
    kind === pods.kind
      ? podsOf(recording, labelSelector.slice(labelSelector.indexOf('=') + 1))
      : recording.state.cachedJobs.filter((job) => ownerOf(job) === index?.value);
  const create = async (_: unknown, job: NewJob) => {
    const created = recording.write(`create ${job.metadata.name}`, { kind: 'create', job }) as Job;
    recording.state = withKnown(recording.state, [created]);
    return created;
  };
  const updateStatus = async (_: unknown, sent: CronJob) => updateStatusOf(recording, sent);
  const remove = async (_: unknown, { name }: Named, { preconditions }: DeleteOptions = {}) => {
    const cached = recording.state.cachedJobs.find(({ metadata }) => metadata.name === name);
    const isHistory = cached !== undefined && isFinished(cached);
    recording.write(`delete ${name}`, { kind: 'delete', name, uid: preconditions?.uid, isHistory });
  };
  const patch = async (_: unknown, { name }: Named, { body }: { readonly body: EndPatch }) =>
    recording.write(`end ${name}`, { kind: 'end', name, patch: body });
  return { get, list, create, updateStatus, patch, delete: remove } as unknown as Client; // the methods that a pass uses
}

interface ListOptions {
  readonly labelSelector?: string;
  readonly index?: { readonly value: string };
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string };
}

/** After a write without a response, reads from the API server until the cache has caught up. */
function getCronJob(recording: Recording): CronJob | undefined {
  const { isUnsure, written, cachedCronJob } = recording.state;
  if (!isUnsure) return written ?? cachedCronJob;
  const live = recording.read('get the CronJob', () => recording.state.cronJob);
  const isCaughtUp = live === undefined ? cachedCronJob === undefined : cachedCronJob && !isBehind(cachedCronJob, live);
  if (isCaughtUp) recording.state = { ...recording.state, isUnsure: false };
  return live && keptCronJob(live);
}

function getJob(recording: Recording, name: string): Job | undefined {
  const found = recording.read(`get ${name}`, () => findJob(recording.state, name));
  if (found) recording.state = withKnown(recording.state, [found]);
  return found;
}

/** The one Pod of a Job. */
function podsOf(recording: Recording, jobUid: string): readonly unknown[] {
  return recording.read('list Pods', () => {
    const running = recording.state.started.includes(jobUid);
    const initContainerStatuses = running ? [{ restartCount: 0, state: { running: {} } }] : [];
    return [{ metadata: { name: 'pod' }, status: { initContainerStatuses } }];
  });
}

async function updateStatusOf(recording: Recording, sent: CronJob): Promise<CronJob> {
  try {
    const stored = recording.write('write the status', { kind: 'updateStatus', sent }) as CronJob;
    recording.state = { ...recording.state, written: keptCronJob(stored), isUnsure: false };
    return stored;
  } catch (error) {
    recording.state = { ...recording.state, isUnsure: true };
    throw error;
  }
}

export function isBehind({ metadata: cached }: CronJob, { metadata: written }: CronJob): boolean {
  return Number(cached.resourceVersion) < Number(written.resourceVersion);
}

export function withKnown(state: State, jobs: readonly Job[]): State {
  const known = union(state.known, jobs.map(runIdOf));
  return known === state.known ? state : { ...state, known };
}
