/** The clients of both reconcilers, with the guarantees of the runtime: they read their own writes of CronJobs, CronJobRuns and Jobs. */
import type { Client, LiveReader } from 'controller-runtime';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { indexCronJobRuns } from '../../controllers/cronjobrun-watches.ts';
import { cronJobRuns, cronJobs, pods } from '../../controllers/resources.ts';
import { findJob } from './api-server.ts';
import type { Recording } from './recording.ts';
import { getOwnerUid, getRunId, isFinished, isRequestedRun, type ModelState, union } from './state.ts';
import { trimCronJobOnce, trimJobOnce } from './trimmed-objects.ts';
import type { EndJobPatch } from './write-request.ts';

interface ObjectName {
  readonly name: string;
}

interface Kind {
  readonly kind: string;
}

export function createClient(recording: Recording): Client {
  const get = async ({ kind }: Kind, { name }: ObjectName) => {
    if (kind === cronJobs.kind) return getCronJob(recording);
    return kind === cronJobRuns.kind ? getRequest(recording) : getJob(recording, name);
  };
  const list = async ({ kind }: Kind, { index, labelSelector = '' }: ListArguments) => {
    if (kind === pods.kind) return listPods(recording, labelSelector.slice(labelSelector.indexOf('=') + 1));
    if (kind === cronJobRuns.kind)
      return index ? requestStore(recording.state.request).byIndex(index.name, index.value) : [];
    return noteRead(recording, listJobs(recording.state, index));
  };
  const create = async (_: unknown, job: NewJob) => {
    const { name } = job.metadata;
    setUncertain(recording, name, true); // also after an answer, until the cache has the Job
    const created = recording.write(`create ${name}`, { kind: 'create', job }) as Job;
    noteRead(recording, [created]);
    return created;
  };
  const updateStatus = async ({ kind }: Kind, sent: CronJob | CronJobRun) =>
    kind === cronJobRuns.kind
      ? writeRequestStatus(recording, sent as CronJobRun)
      : writeStatus(recording, sent as CronJob);
  const remove = async (_: unknown, { name }: ObjectName, { preconditions }: DeleteArguments = {}) => {
    const cached = recording.state.cachedJobs.find(({ metadata }) => metadata.name === name);
    const isHistory = cached !== undefined && isFinished(cached);
    setUncertain(recording, name, true);
    recording.write(`delete ${name}`, { kind: 'delete', name, uid: preconditions?.uid, isHistory });
    setUncertain(recording, name, false);
    if (cached !== undefined) hideDeleted(recording, cached.metadata.uid);
  };
  const patch = async (_: unknown, { name }: ObjectName, { body }: { readonly body: EndJobPatch }) => {
    setUncertain(recording, name, true);
    return recording.write(`end ${name}`, { kind: 'end', name, patch: body });
  };
  return { get, list, create, updateStatus, patch, delete: remove } as unknown as Client; // the methods that a reconcile uses
}

/** Reads from the API server. */
export function createApiReader(recording: Recording): LiveReader {
  const { list } = createClient(recording);
  const get = async ({ kind }: Kind, { name }: ObjectName) =>
    kind === cronJobs.kind
      ? recording.read('get the CronJob', () => recording.state.cronJob)
      : getStoredJob(recording, name);
  return { get, list } as unknown as LiveReader; // the methods that a reconcile uses
}

interface ListArguments {
  readonly labelSelector?: string;
  readonly index?: { readonly name: string; readonly value: string };
}

interface DeleteArguments {
  readonly preconditions?: { readonly uid?: string };
}

/** After a write without a response, reads from the API server until the cache has caught up. */
function getCronJob(recording: Recording): CronJob | undefined {
  const { isStatusUncertain, writtenCronJob, cachedCronJob } = recording.state;
  if (!isStatusUncertain) return writtenCronJob ?? cachedCronJob;
  const live = recording.read('get the CronJob', () => recording.state.cronJob);
  if (isUpToDate(cachedCronJob, live)) recording.state = { ...recording.state, isStatusUncertain: false };
  return live && trimCronJobOnce(live);
}

/** As {@link getCronJob}. */
function getRequest(recording: Recording): CronJobRun | undefined {
  const { isUncertain, written, cached } = recording.state.request;
  if (!isUncertain) return written ?? cached;
  const live = recording.read('get the CronJobRun', () => recording.state.request.stored);
  if (isUpToDate(cached, live)) setRequest(recording, { isUncertain: false });
  return live;
}

/** As {@link getCronJob}. */
function getJob(recording: Recording, name: string): Job | undefined {
  const { request, cachedJobs } = recording.state;
  const cached = cachedJobs.find(({ metadata }) => metadata.name === name);
  if (!request.uncertainJobs.includes(name)) {
    const isHidden = cached === undefined || request.deletedJobs.includes(cached.metadata.uid);
    return isHidden ? undefined : noteRead(recording, [cached])[0];
  }
  const live = getStoredJob(recording, name);
  if (isUpToDate(cached, live)) setUncertain(recording, name, false);
  return live && trimJobOnce(live);
}

function getStoredJob(recording: Recording, name: string): Job | undefined {
  const job = recording.read(`get ${name}`, () => findJob(recording.state, name));
  if (job) noteRead(recording, [job]);
  return job;
}

const INDEXES = new Map<string, (object: Job | CronJobRun) => readonly string[]>();
indexCronJobRuns({ indexField: (_: unknown, name: string, keysOf: never) => void INDEXES.set(name, keysOf) } as never);

function listJobs({ cachedJobs }: ModelState, { name = '', value = '' }: Partial<ListArguments['index']> = {}) {
  const keysOf = INDEXES.get(name) ?? ((job: Job) => [getOwnerUid(job)]);
  return cachedJobs.filter((job) => keysOf(job).includes(value));
}

/** The store of CronJobRuns in the cache. */
export function requestStore({ cached }: ModelState['request']) {
  const byIndex = (name: string, value: string) =>
    cached !== undefined && INDEXES.get(name)?.(cached).includes(value) ? [cached] : [];
  return { byIndex };
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

async function writeRequestStatus(recording: Recording, sent: CronJobRun): Promise<CronJobRun> {
  try {
    const request = { kind: 'updateRequestStatus', sent } as const;
    const written = recording.write('write the status of the CronJobRun', request) as CronJobRun;
    setRequest(recording, { written, isUncertain: false });
    return written;
  } catch (error) {
    setRequest(recording, { isUncertain: true });
    throw error;
  }
}

type Versioned = Pick<Job, 'metadata'>;

function isUpToDate(cached: Versioned | undefined, live: Versioned | undefined): boolean {
  return live === undefined ? cached === undefined : cached !== undefined && !isBehind(cached, live);
}

export function isBehind({ metadata: cached }: Versioned, { metadata: written }: Versioned): boolean {
  return Number(cached.resourceVersion) < Number(written.resourceVersion);
}

function setRequest(recording: Recording, changed: Partial<ModelState['request']>): void {
  recording.state = { ...recording.state, request: { ...recording.state.request, ...changed } };
}

/** Only reconciles of scenarios with a CronJobRun get Jobs by name. */
function setUncertain(recording: Recording, jobName: string, isUncertain: boolean): void {
  const { scenario, request } = recording.state;
  if (scenario.request === undefined) return;
  const others = request.uncertainJobs.filter((name) => name !== jobName);
  setRequest(recording, { uncertainJobs: isUncertain ? union(others, [jobName]) : others });
}

function hideDeleted(recording: Recording, uid: string): void {
  if (recording.state.scenario.request === undefined) return;
  setRequest(recording, { deletedJobs: union(recording.state.request.deletedJobs, [uid]) });
}

/** Records that the reconcile has read the Jobs. */
function noteRead(recording: Recording, jobs: readonly Job[]): readonly Job[] {
  const { state, controller } = recording;
  recording.state = controller === 'cronjob' ? withKnownRuns(state, jobs) : withKnownRequestedRuns(state, jobs);
  return jobs;
}

export function withKnownRuns(state: ModelState, jobs: readonly Job[]): ModelState {
  const knownRuns = union(state.knownRuns, jobs.map(getRunId));
  return knownRuns === state.knownRuns ? state : { ...state, knownRuns };
}

function withKnownRequestedRuns(state: ModelState, jobs: readonly Job[]): ModelState {
  const knownRuns = union(state.request.knownRuns, jobs.map(getRunId).filter(isRequestedRun));
  return { ...state, request: { ...state.request, knownRuns } };
}
