/** One reconcile of a shipped controller, over a state, with a script of the outcomes of its calls. */
import { type Clock, formatKey, type Resource, type Result } from 'controller-runtime';
import { discardLogger } from 'controller-runtime/internal';
import type { Job } from '../../api/kubernetes.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { CronJobRunReconciler } from '../../controllers/cronjobrun-controller.ts';
import { RequestedStarts } from '../../controllers/requested-starts.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import { createApiReader, createClient, withKnownRuns } from './client.ts';
import { type ReconcilerMemory, restoreMemory, saveMemory } from './process-memory.ts';
import { type CallOutcome, type ModelController, Recording } from './recording.ts';
import { REQUEST_NAME } from './request-state.ts';
import { clockMs, type ModelState } from './state.ts';
import type { ReconcileQueue } from './watch.ts';

export interface ReconcileResult {
  readonly state: ModelState;
  /** The calls that reached the client, as text. */
  readonly calls: readonly string[];
  readonly events: readonly string[];
  /** Number of calls that were writes. */
  readonly writes: number;
  readonly hasDied: boolean;
  readonly faults: readonly string[];
}

export interface ReconcileOptions {
  readonly controller: ModelController;
  /** The outcomes of the first calls. The others succeed. */
  readonly script?: readonly CallOutcome[];
  /** Whether other objects wait for a reconcile. */
  readonly isCrowded?: boolean;
}

const CRON_JOB_REQUEST = { namespace: 'default', name: 'c' };
const RUN_REQUEST = { namespace: 'default', name: REQUEST_NAME };
export const CRON_JOB_KEY = formatKey(CRON_JOB_REQUEST);
const { signal: SIGNAL } = new AbortController();
const NO_METRICS = {
  recordCreatedJob() {},
  recordSkippedSlots() {},
  recordFinishedRun() {},
  recordStartTimeout() {},
  recordResults() {},
};

export async function runReconcile(
  state: ModelState,
  { controller, script = [], isCrowded = false }: ReconcileOptions,
): Promise<ReconcileResult> {
  const recording = new Recording(beginReconcile(state, controller), controller, script);
  const memory = restoreMemory(state.memory);
  const reconcilers = createReconcilers(recording, memory);
  const context = {
    log: discardLogger,
    signal: SIGNAL,
    tryContinueAtLowPriority: () => !isCrowded,
    hasWaitingObjects: () => isCrowded,
  };
  const result =
    controller === 'cronjob'
      ? await reconcilers.cronJob.reconcile(CRON_JOB_REQUEST, context)
      : await reconcilers.run.reconcile(RUN_REQUEST, context).catch((error: unknown) => ({ error }));
  const { calls, events, writes, hasDied, faults } = recording;
  const after = { ...recording.state, memory: saveMemory(memory) };
  return { state: hasDied ? after : endReconcile(after, controller, result), calls, events, writes, hasDied, faults };
}

/** The memory of the process after the watch has delivered a change of a Job. */
export function recordJob(state: ModelState, job: Job): ModelState['memory'] {
  const memory = restoreMemory(state.memory);
  createReconcilers(new Recording(state, 'cronjobrun', []), memory).run.recordJob(job);
  return saveMemory(memory);
}

function createReconcilers(recording: Recording, { jobNames, ...memory }: ReconcilerMemory) {
  const requestedStarts = new RequestedStarts(jobNames);
  const options = {
    client: createClient(recording),
    apiReader: createApiReader(recording),
    cache: { get: async ({ plural }: Resource) => readCached(recording.state, plural) as never },
    recorder: {
      event: (_: unknown, __: string, reason: string, message: string) =>
        void recording.events.push(`${reason}: ${message}`),
    },
    clock: createFrozenClock(recording.state),
    metrics: NO_METRICS,
    requestedStarts,
    ...memory,
  };
  const cronJob = new CronJobReconciler(options);
  return { cronJob, run: new CronJobRunReconciler({ ...options, observer: cronJob }) };
}

function readCached({ cachedCronJob, request }: ModelState, plural: string) {
  return plural === cronJobRuns.plural ? request.cached : cachedCronJob;
}

function createFrozenClock(state: ModelState): Clock {
  const { nowMs } = state;
  return {
    now: () => new Date(clockMs(state)),
    monotonicMs: () => nowMs,
    schedule: () => () => {},
  } as unknown as Clock;
}

const IN_RECONCILE = { isQueued: false, hasRetry: false } as const;

function beginReconcile(state: ModelState, controller: ModelController): ModelState {
  if (controller === 'cronjob')
    return { ...withKnownRuns(state, state.cachedJobs), ...IN_RECONCILE, wasClockSet: false };
  return { ...state, request: { ...state.request, ...IN_RECONCILE, wakeAtMs: undefined } };
}

/** Handles the result as the controller of the runtime does. A back-off may end at any time. */
function endReconcile(state: ModelState, controller: ModelController, result: Result): ModelState {
  if (controller === 'cronjob') return { ...state, ...scheduleNext(state, result) };
  return { ...state, request: { ...state.request, ...scheduleNext(state, result) } };
}

function scheduleNext(
  { nowMs }: ModelState,
  { requeueAfterMs, requeue, retry = false, error }: Result,
): Partial<ReconcileQueue> {
  const hasFailed = error !== undefined;
  const wakes = requeueAfterMs !== undefined || !hasFailed;
  return {
    isQueued: requeue !== undefined,
    hasRetry: retry || hasFailed,
    ...(wakes && { wakeAtMs: requeueAfterMs === undefined ? undefined : nowMs + requeueAfterMs }),
  };
}
