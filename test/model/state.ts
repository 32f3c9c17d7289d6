/** What one state of the model holds: the API server, the cache, the process, and what has really happened. All of it is immutable. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { Memory } from '../../controllers/cronjob/memory.ts';

/** A watch event of a Job. */
export interface JobEvent {
  readonly isDeleted: boolean;
  readonly job: Job;
}

/** What may still happen: the bound of the exploration. */
export interface Budget {
  /** Time moves to the next slot. */
  readonly slots: number;
  /** A call of a pass is not carried out, is refused, or gets no answer. */
  readonly faults: number;
  /** The process dies, between passes or in one, and another one starts. */
  readonly crashes: number;
  /** A Job finishes. */
  readonly finishes: number;
  /** Something else than the manager deletes a Job: a person, or the TTL controller. */
  readonly deletions: number;
  /** A person changes the spec. */
  readonly edits: number;
  /** Other CronJobs wait, so that a pass leaves what can wait to the next one. */
  readonly crowds: number;
}

export interface State {
  readonly nowMs: number;
  readonly left: Budget;

  /** What the API server holds. */
  readonly cronJob: CronJob;
  readonly jobs: readonly Job[];

  /** What the cache shows, and the watch events that it has yet to get. */
  readonly cachedCronJob: CronJob;
  readonly cachedJobs: readonly Job[];
  readonly cronJobEvents: readonly CronJob[];
  readonly jobEvents: readonly JobEvent[];

  /** What the process remembers: the client's last write of the status, while the cache is behind; and the controller's memory. */
  readonly written?: CronJob | undefined;
  /** A status write got no answer: the client reads from the API server until the cache has caught up. */
  readonly isUnsure: boolean;
  readonly memory?: Memory | undefined;
  /** Names of the Jobs that a pass of this process has read, or created with an answer. */
  readonly known: readonly string[];

  /** When passes come. */
  readonly isQueued: boolean;
  readonly hasRetry: boolean;
  /** A delete of old history failed, and is tried again after minutes. */
  readonly owesDelete: boolean;
  readonly wakeAtMs?: number | undefined;

  /** What has really happened, which no manager knows: creates of each Job, and how Jobs ended. */
  readonly creates: Readonly<Record<string, number>>;
  readonly ends: Readonly<Record<string, 'Succeeded' | 'Failed'>>;
  /** Jobs that were deleted before anything that a manager reads could say that they existed. Their slots may run again. */
  readonly unprovable: readonly string[];
}

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');
/** A wake-up comes this much after its slot. */
const SLACK_MS = 2;
export const MINUTE_MS = 60_000;

/** A CronJob that is due each minute, just created, and that no manager has seen. */
export function initialState(spec: Partial<CronJobSpec>, left: Budget): State {
  const cronJob: CronJob = {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: formatTime(new Date(CREATED_MS)),
    },
    spec: {
      schedule: '* * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 0,
      jobTemplate: { spec: { template: { spec: { containers: [{ name: 'c' }] } } } },
      ...spec,
    },
  };
  return {
    nowMs: CREATED_MS,
    left,
    cronJob,
    jobs: [],
    cachedCronJob: cronJob,
    cachedJobs: [],
    cronJobEvents: [],
    jobEvents: [],
    isUnsure: false,
    known: [],
    isQueued: true,
    hasRetry: false,
    owesDelete: false,
    creates: {},
    ends: {},
    unprovable: [],
  };
}

function nextVersion({ metadata }: { readonly metadata: { readonly resourceVersion?: string } }): string {
  return String(Number(metadata.resourceVersion) + 1);
}

/** The API server stores the CronJob; its watch tells of it later. */
function storeCronJob(state: State, changed: CronJob): State {
  const metadata = { ...changed.metadata, resourceVersion: nextVersion(state.cronJob) };
  const cronJob = { ...changed, metadata };
  return { ...state, cronJob, cronJobEvents: [...state.cronJobEvents, cronJob] };
}

export function storeStatus(state: State, status: CronJobStatus): State {
  return storeCronJob(state, { ...state.cronJob, status });
}

export function edit(state: State, spec: Partial<CronJobSpec>): State {
  const { cronJob } = state;
  const isScheduleEdit = spec.schedule !== undefined;
  const time = formatTime(new Date(state.nowMs));
  const edits = { time, fieldsV1: { 'f:spec': { 'f:schedule': {} } } };
  const metadata = {
    ...cronJob.metadata,
    generation: (cronJob.metadata.generation ?? 0) + 1,
    ...(isScheduleEdit && { managedFields: [edits] }),
  };
  return storeCronJob(state, { ...cronJob, metadata, spec: { ...cronJob.spec, ...spec } });
}

/** @returns The state, and the Job as stored. */
export function storeNewJob(state: State, job: NewJob): { readonly state: State; readonly job: Job } {
  const count = (state.creates[job.metadata.name] ?? 0) + 1;
  const metadata = {
    ...job.metadata,
    uid: `${job.metadata.name}/${count}`,
    resourceVersion: '1',
    creationTimestamp: formatTime(new Date(state.nowMs)),
  };
  const created: Job = { ...job, metadata, status: { startTime: metadata.creationTimestamp } };
  return {
    job: created,
    state: {
      ...state,
      jobs: [...state.jobs, created],
      jobEvents: [...state.jobEvents, { isDeleted: false, job: created }],
      creates: { ...state.creates, [metadata.name]: count },
    },
  };
}

export function finishJob(state: State, job: Job, result: 'Succeeded' | 'Failed'): State {
  const time = formatTime(new Date(state.nowMs));
  const type = result === 'Succeeded' ? 'Complete' : 'Failed';
  const finished: Job = {
    ...job,
    metadata: { ...job.metadata, resourceVersion: nextVersion(job) },
    status: {
      ...job.status,
      ...(result === 'Succeeded' && { completionTime: time }),
      conditions: [{ type, status: 'True', lastTransitionTime: time }],
    },
  };
  return {
    ...state,
    jobs: state.jobs.map((each) => (each === job ? finished : each)),
    jobEvents: [...state.jobEvents, { isDeleted: false, job: finished }],
    ends: { ...state.ends, [job.metadata.name]: result },
  };
}

export function removeJob(state: State, job: Job): State {
  return {
    ...state,
    jobs: state.jobs.filter((each) => each.metadata.uid !== job.metadata.uid),
    jobEvents: [...state.jobEvents, { isDeleted: true, job }],
  };
}

/** Whether the stored status says that the slot of the Job needs no run any more. */
export function isAccountedFor({ cronJob: { status = {} } }: State, slot: Date): boolean {
  return [status.lastScheduleTime, status.handledThrough].some(
    (time) => (parseTime(time)?.getTime() ?? 0) >= slot.getTime(),
  );
}

export function slotOf(job: Pick<Job, 'metadata'>): Date {
  return new Date(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? 0);
}

/** The slot in the name of a Job. */
export function slotInName(name: string): Date {
  return new Date(Number(name.slice(name.lastIndexOf('-') + 1)) * 1000);
}

export function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') === true;
}

/** When time moves on: just after the next slot. */
export function nextTimeMs({ nowMs }: State): number {
  return nowMs - (nowMs % MINUTE_MS) + MINUTE_MS + SLACK_MS;
}

/** Whether a pass may come now. One that waits for a back-off may come at any time. */
export function isPassDue(state: State): boolean {
  const { isQueued, hasRetry, wakeAtMs = Number.POSITIVE_INFINITY } = state;
  return isQueued || hasRetry || wakeAtMs < nextTimeMs(state);
}

/** Nothing will happen by itself before time moves on. */
export function isQuiet(state: State): boolean {
  return !isPassDue(state) && state.cronJobEvents.length === 0 && state.jobEvents.length === 0;
}

export function union(left: readonly string[], right: readonly string[]): readonly string[] {
  return [...new Set([...left, ...right])].toSorted();
}
