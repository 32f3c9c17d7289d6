/** The API server: how it handles requests, and all other changes of its objects. */
import { ApiError } from 'controller-runtime';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { type FinishedResult, getRunId, type ModelState } from './state.ts';
import type { WriteRequest } from './write-request.ts';

export interface WriteResult {
  readonly state: ModelState;
  /** The object as stored. */
  readonly response?: CronJob | CronJobRun | Job;
}

/** Executes a write. Throws the API server's error. */
export function executeWrite(state: ModelState, request: WriteRequest): WriteResult {
  switch (request.kind) {
    case 'create':
      if (findJob(state, request.job.metadata.name)) throw new ApiError(409, { reason: 'AlreadyExists' });
      return storeNewJob(state, request.job);
    case 'updateStatus':
      return storeStatus(state, request.sent);
    case 'updateRequestStatus':
      return storeRequestStatus(state, request.sent);
    case 'delete':
      return deleteJob(state, request);
    case 'end':
      return endJob(state, request);
  }
}

function storeStatus(state: ModelState, { metadata, status }: Pick<CronJob, 'metadata' | 'status'>): WriteResult {
  const { cronJob } = state;
  if (cronJob === undefined) throw new ApiError(404, { reason: 'NotFound' });
  const { uid, resourceVersion } = cronJob.metadata;
  if (metadata.uid !== uid || metadata.resourceVersion !== resourceVersion)
    throw new ApiError(409, { reason: 'Conflict' });
  const stored = storeCronJob(state, { ...cronJob, status: status as CronJobStatus });
  return { state: stored, response: stored.cronJob as CronJob };
}

function storeRequestStatus(
  state: ModelState,
  { metadata, status }: Pick<CronJobRun, 'metadata' | 'status'>,
): WriteResult {
  const { stored } = state.request;
  if (stored === undefined) throw new ApiError(404, { reason: 'NotFound' });
  if (metadata.uid !== stored.metadata.uid || metadata.resourceVersion !== stored.metadata.resourceVersion)
    throw new ApiError(409, { reason: 'Conflict' });
  const changed = storeRequest(state, { ...stored, status: status as CronJobRunStatus });
  return { state: changed, response: changed.request.stored as CronJobRun };
}

/** The watch reports the change later. */
export function storeRequest(state: ModelState, changed: CronJobRun): ModelState {
  const version = state.version + 1;
  const stored = { ...changed, metadata: { ...changed.metadata, resourceVersion: `${version}` } };
  const events = [...state.request.events, { isDeleted: false, object: stored }];
  return { ...state, version, request: { ...state.request, stored, events } };
}

export function removeRequest(state: ModelState): ModelState {
  const { stored, events } = state.request;
  if (stored === undefined) return state;
  const request = { ...state.request, stored: undefined, events: [...events, { isDeleted: true, object: stored }] };
  return { ...state, request };
}

function deleteJob(state: ModelState, { name, uid }: Extract<WriteRequest, { kind: 'delete' }>): WriteResult {
  const job = findJob(state, name);
  if (job === undefined) throw new ApiError(404, { reason: 'NotFound' });
  if (uid !== undefined && job.metadata.uid !== uid) throw new ApiError(409, { reason: 'Conflict' });
  return { state: removeJob(state, job) };
}

function endJob(state: ModelState, { name, patch }: Extract<WriteRequest, { kind: 'end' }>): WriteResult {
  const job = findJob(state, name);
  if (job === undefined) throw new ApiError(404, { reason: 'NotFound' });
  const { uid, resourceVersion, annotations } = patch.metadata;
  if (uid !== job.metadata.uid || resourceVersion !== job.metadata.resourceVersion)
    throw new ApiError(409, { reason: 'Conflict' });
  const metadata = { ...job.metadata, annotations: { ...job.metadata.annotations, ...annotations } };
  return { state: changeJob(state, job, { metadata, spec: { ...job.spec, ...patch.spec } }) };
}

export function findJob({ jobs }: ModelState, name: string): Job | undefined {
  return jobs.find(({ metadata }) => metadata.name === name);
}

/** The watch reports the change later. */
export function storeCronJob(state: ModelState, changed: CronJob): ModelState {
  const version = state.version + 1;
  const cronJob = { ...changed, metadata: { ...changed.metadata, resourceVersion: `${version}` } };
  const cronJobEvents = [...state.cronJobEvents, { isDeleted: false, object: cronJob }];
  return { ...state, version, cronJob, cronJobEvents };
}

export function removeCronJob(state: ModelState): ModelState {
  const { cronJob } = state;
  if (cronJob === undefined) return state;
  const version = state.version + 1;
  const object = { ...cronJob, metadata: { ...cronJob.metadata, resourceVersion: `${version}` } };
  return {
    ...state,
    version,
    cronJob: undefined,
    cronJobEvents: [...state.cronJobEvents, { isDeleted: true, object }],
  };
}

export function editSpec(state: ModelState, spec: Partial<CronJobSpec>): ModelState {
  const { cronJob } = state;
  if (cronJob === undefined) return state;
  const metadata = { ...cronJob.metadata, generation: (cronJob.metadata.generation ?? 0) + 1 };
  return storeCronJob(state, { ...cronJob, metadata, spec: { ...cronJob.spec, ...spec } });
}

function storeNewJob(state: ModelState, job: NewJob): WriteResult {
  const runId = getRunId(job as Job);
  const count = (state.createCounts[runId] ?? 0) + 1;
  const metadata = {
    ...job.metadata,
    uid: `${runId}/${count}`,
    resourceVersion: '1',
    creationTimestamp: formatTime(new Date(state.nowMs)),
  };
  const created: Job = { ...job, metadata, status: { startTime: metadata.creationTimestamp } };
  return {
    response: created,
    state: {
      ...state,
      jobs: [...state.jobs, created],
      jobEvents: [...state.jobEvents, { isDeleted: false, object: created }],
      createCounts: sortKeys({ ...state.createCounts, [runId]: count }),
    },
  };
}

/** A Job without a CronJob. */
export function storeForeignJob(state: ModelState, name: string): ModelState {
  const creationTimestamp = formatTime(new Date(state.nowMs));
  const metadata = { name, namespace: 'default', uid: `stranger/${name}`, resourceVersion: '1', creationTimestamp };
  const object: Job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: {} as Job['spec'], status: {} };
  const jobEvents = [...state.jobEvents, { isDeleted: false, object }];
  return { ...state, jobs: [...state.jobs, object], jobEvents };
}

export function changeJob(state: ModelState, job: Job, changed: Partial<Job>): ModelState {
  const metadata = {
    ...job.metadata,
    ...changed.metadata,
    resourceVersion: `${Number(job.metadata.resourceVersion) + 1}`,
  };
  const object: Job = { ...job, ...changed, metadata };
  return {
    ...state,
    jobs: state.jobs.map((each) => (each.metadata.uid === job.metadata.uid ? object : each)),
    jobEvents: [...state.jobEvents, { isDeleted: false, object }],
  };
}

export function finishJob(state: ModelState, job: Job, result: FinishedResult, reason?: string): ModelState {
  const time = formatTime(new Date(state.nowMs));
  const type = result === 'Succeeded' ? 'Complete' : 'Failed';
  const changed = changeJob(state, job, {
    status: {
      ...job.status,
      ...(result === 'Succeeded' && { completionTime: time }),
      conditions: [{ type, status: 'True', lastTransitionTime: time, ...(reason !== undefined && { reason }) }],
    },
  });
  return { ...changed, runResults: sortKeys({ ...state.runResults, [getRunId(job)]: result }) };
}

export function removeJob(state: ModelState, job: Job): ModelState {
  return {
    ...state,
    jobs: state.jobs.filter(({ metadata }) => metadata.uid !== job.metadata.uid),
    jobEvents: [...state.jobEvents, { isDeleted: true, object: job }],
  };
}

/** Normalizes, so that equal facts have equal texts. */
function sortKeys<T>(facts: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(facts).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
