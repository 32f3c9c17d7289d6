/** The content of one state of the model: the API server, the cache, the process, and the real history. All of it is immutable. */
import type { Job } from '../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { getRunLimit, isBlocking } from '../simulation/facts.ts';
import { computeDelaySeconds } from '../simulation/jitter.ts';
import type { Budget, ModelScenario } from './budget.ts';
import type { ProcessMemory } from './process-memory.ts';
import { initialRequest, type RequestState } from './request-state.ts';
import { trimCronJobOnce } from './trimmed-objects.ts';
import type { PendingWatchEvent, ReconcileQueue } from './watch.ts';
import type { WriteRequest } from './write-request.ts';

/** The reconciles of the CronJob have the fields of its queue. */
export interface ModelState extends ReconcileQueue {
  readonly scenario: ModelScenario;
  readonly nowMs: number;
  /** Offset of the manager's clock. Negative: behind. */
  readonly aheadMs: number;
  /** The clock was set, and no reconcile has read it since: the next wake-up will. */
  readonly wasClockSet: boolean;
  /** The newest time of the clock before it was set. */
  readonly newestClockMs: number;
  readonly remaining: Budget;

  /** The state of the API server. */
  readonly cronJob: CronJob | undefined;
  readonly jobs: readonly Job[];
  /** UIDs of the Jobs with a started container. */
  readonly startedJobs: readonly string[];
  /** The newest resource version of CronJobs. */
  readonly version: number;

  /** The state of the cache, and the watch events that have not reached it. */
  readonly cachedCronJob: CronJob | undefined;
  readonly cachedJobs: readonly Job[];
  readonly cronJobEvents: readonly PendingWatchEvent<CronJob>[];
  readonly jobEvents: readonly PendingWatchEvent<Job>[];

  /** A write of an earlier manager in progress. It may arrive at any time. */
  readonly inFlight: WriteRequest | undefined;
  /** Runs that such a write has started, or recorded as skipped. */
  readonly strayRuns: readonly string[];

  /** The memory of the process: the client's last write of the status, while the cache is behind, and the controller's memory. */
  readonly writtenCronJob: CronJob | undefined;
  /** A status write got no response: the client reads from the API server until the cache has caught up. */
  readonly isStatusUncertain: boolean;
  readonly memory: ProcessMemory | undefined;
  /** Runs whose Jobs a reconcile of this process has read, or created with an answer. */
  readonly knownRuns: readonly string[];

  /** The CronJobRun, and the reconciles of it. */
  readonly request: RequestState;

  /** A delete of old history failed, and is retried after minutes. */
  readonly hasPendingDelete: boolean;

  /** Time of the last edit of the schedule. */
  readonly editedMs: number;
  /** The real history, which no manager knows: creates of each run, and results of runs. The keys are from {@link getRunId}. */
  readonly createCounts: Readonly<Record<string, number>>;
  readonly runResults: Readonly<Record<string, FinishedResult>>;
  /** Runs whose Jobs were deleted before any status or result could show that they existed. They may run again. */
  readonly untraceableRuns: readonly string[];
}

export type FinishedResult = 'Succeeded' | 'Failed';

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');
export const MINUTE_MS = 60_000;
const SECOND_MS = 1000;
/** Time between a slot and its wake-up. */
const SLACK_MS = 2;

/** A new CronJob that no manager has seen. */
export function initialState(scenario: ModelScenario): ModelState {
  const { budget } = scenario;
  const created = newCronJob('u', CREATED_MS, scenario);
  const cronJob = { ...created, metadata: { ...created.metadata, resourceVersion: '1' } };
  return {
    scenario,
    nowMs: CREATED_MS,
    aheadMs: 0,
    wasClockSet: false,
    newestClockMs: 0,
    editedMs: CREATED_MS,
    remaining: budget,
    cronJob,
    jobs: [],
    startedJobs: [],
    version: 1,
    cachedCronJob: trimCronJobOnce(cronJob),
    cachedJobs: [],
    cronJobEvents: [],
    jobEvents: [],
    inFlight: undefined,
    strayRuns: [],
    writtenCronJob: undefined,
    isStatusUncertain: false,
    memory: undefined,
    knownRuns: [],
    request: initialRequest(scenario, CREATED_MS),
    isQueued: true,
    hasRetry: false,
    hasPendingDelete: false,
    wakeAtMs: undefined,
    createCounts: {},
    runResults: {},
    untraceableRuns: [],
  };
}

/** A CronJob that is due each minute. */
export function newCronJob(uid: string, createdMs: number, { spec, runNow }: ModelScenario): CronJob {
  const creationTimestamp = formatTime(new Date(createdMs));
  const fieldsV1 = { ...SPEC_FIELDS, ...(runNow !== undefined && RUN_NOW_FIELDS) };
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name: 'c',
      namespace: 'default',
      uid,
      resourceVersion: '',
      generation: 1,
      creationTimestamp,
      managedFields: [{ time: creationTimestamp, fieldsV1 }],
      ...(runNow !== undefined && { annotations: { [RUN_NOW_ANNOTATION]: runNow } }),
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
}

export const SPEC_FIELDS = { 'f:spec': { 'f:schedule': {} } };
export const RUN_NOW_FIELDS = { 'f:metadata': { 'f:annotations': { [`f:${RUN_NOW_ANNOTATION}`]: {} } } };

/** UID of the CronJob that created the Job; `undefined` for a foreign Job. */
export function getOwnerUid({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  return metadata.ownerReferences?.[0]?.uid;
}

/** Id of a run: its CronJob, and its Job. */
export function getRunId({
  metadata,
}: {
  readonly metadata: Pick<Job['metadata'], 'name' | 'ownerReferences'>;
}): string {
  return `${metadata.ownerReferences?.[0]?.uid}/${metadata.name}`;
}

/** Whether the CronJobRun of the scenario has started the run. */
export function isRequestedRun(runId: string): boolean {
  return /^c-[br]/.test(getJobName(runId));
}

/** The slot of a run of the schedule; `undefined` for another run. */
export function getSlot(runId: string): Date | undefined {
  if (isRequestedRun(runId)) return undefined;
  const end = runId.slice(runId.lastIndexOf('-') + 1);
  return /^\d+$/.test(end) ? new Date(Number(end) * 1000) : undefined;
}

export function getJobName(runId: string): string {
  return runId.slice(runId.indexOf('/') + 1);
}

/** Whether the run belongs to this CronJob, and not to another one of its name. */
export function belongsTo(runId: string, { metadata }: CronJob): boolean {
  return runId.startsWith(`${metadata.uid}/`);
}

export function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') === true;
}

/** Whether as many runs are active as may be. */
export function hasMaxRuns(jobs: readonly Job[], { metadata, spec }: CronJob): boolean {
  const blocking = jobs.filter((job) => isBlocking(job, { spec }) && getOwnerUid(job) === metadata.uid);
  return blocking.length >= getRunLimit({ spec });
}

/** Whether a due slot waits, because a run is active. */
export function isBlocked(jobs: readonly Job[], cronJob: CronJob): boolean {
  return cronJob.spec.concurrencyPolicy !== 'Skip' && hasMaxRuns(jobs, cronJob);
}

/** Whether every missed slot starts late, and not only the newest one. */
function catchesUp({ spec }: CronJob): boolean {
  return spec.concurrencyPolicy === 'Queue' || spec.catchUpPolicy === 'All';
}

/** Whether the slot is excluded. The exclusions of the model have only lists of minutes. */
export function isExcluded({ spec: { exclude = [] } }: CronJob, slot: Date): boolean {
  return exclude.some(({ schedule = '' }) => schedule.split(' ', 1)[0]?.split(',').includes(`${slot.getUTCMinutes()}`));
}

/** The minutes after a time, until another time. */
export function slotsBetween(afterMs: number, untilMs: number): readonly Date[] {
  const firstMs = afterMs - (afterMs % MINUTE_MS) + MINUTE_MS;
  const count = Math.max(0, Math.floor((untilMs - firstMs) / MINUTE_MS) + 1);
  return Array.from({ length: count }, (_, index) => new Date(firstMs + index * MINUTE_MS));
}

/** Whether the minute is a slot: the schedules of the model have every minute between `startTime` and `endTime`. */
export function isInWindow({ spec: { startTime, endTime } }: CronJob, slot: Date): boolean {
  return slot >= (parseTime(startTime) ?? slot) && (endTime === undefined || slot < new Date(endTime));
}

/** When the run of a slot starts. The next slot is a minute later. */
export function startMs({ metadata, spec }: CronJob, slot: Date): number {
  const delayMs = computeDelaySeconds(metadata.uid, spec.jitterSeconds ?? 0) * SECOND_MS;
  return slot.getTime() + Math.min(delayMs, MINUTE_MS - SECOND_MS);
}

/** The next time: just after the next step, as just after each slot. */
export function nextTimeMs({ nowMs, scenario: { stepMs = MINUTE_MS } }: ModelState): number {
  return nowMs - (nowMs % stepMs) + stepMs + SLACK_MS;
}

/** The time on the manager's clock. */
export function clockMs({ nowMs, aheadMs }: ModelState): number {
  return nowMs + aheadMs;
}

/** The newest time that a manager can have read. */
export function newestClockMs(state: ModelState): number {
  return Math.max(state.newestClockMs, clockMs(state));
}

/**
 * How long the run of a due slot may wait until it is given up: until its deadline, or until the next slot if only the newest missed slot
 * starts late.
 */
export function patienceMs(cronJob: CronJob, slot: Date): number {
  const nextSlot = new Date(slot.getTime() + MINUTE_MS);
  const hasEnd = !catchesUp(cronJob) && isInWindow(cronJob, nextSlot);
  return Math.min(hasEnd ? MINUTE_MS : Number.POSITIVE_INFINITY, deadlineMs(cronJob.spec));
}

export function deadlineMs({ startingDeadlineSeconds }: CronJob['spec']): number {
  return (startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
}

/** Whether a reconcile may come now, or before time advances. A reconcile after a back-off may come at any time. */
export function isReconcileDue(state: ModelState): boolean {
  const { isQueued, hasRetry, wakeAtMs = Number.POSITIVE_INFINITY } = state;
  return isQueued || hasRetry || wakeAtMs < nextTimeMs(state);
}

/** Whether a reconcile of the CronJobRun may come now. */
export function isRequestReconcileDue({ nowMs, request }: ModelState): boolean {
  return request.isQueued || request.hasRetry || (request.wakeAtMs ?? Number.POSITIVE_INFINITY) <= nowMs;
}

/** No event will happen before time advances. */
export function isQuiet(state: ModelState): boolean {
  if (isReconcileDue(state) || isRequestReconcileDue(state) || state.wasClockSet) return false;
  return [state.cronJobEvents, state.jobEvents, state.request.events].every((events) => events.length === 0);
}

export function union(left: readonly string[], right: readonly string[]): readonly string[] {
  const added = right.filter((each) => !left.includes(each));
  return added.length === 0 ? left : [...left, ...added].toSorted();
}
