/** One pass of the shipped controller, over a state, with a script of the outcomes of its calls. */
import { type Clock, formatKey, type LiveReader, type Result } from 'controller-runtime';
import { discardLogger } from 'controller-runtime/internal';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { createClient, withKnownRuns } from './client.ts';
import { restoreMemory, saveMemory } from './process-memory.ts';
import { type CallOutcome, Recording } from './recording.ts';
import { clockMs, type ModelState } from './state.ts';

export interface PassResult {
  readonly state: ModelState;
  /** The calls that reached the client, as text. */
  readonly calls: readonly string[];
  readonly events: readonly string[];
  /** Number of calls that were writes. */
  readonly writes: number;
  readonly hasDied: boolean;
  readonly faults: readonly string[];
}

const REQUEST = { namespace: 'default', name: 'c' };
const KEY = formatKey(REQUEST);
const { signal: SIGNAL } = new AbortController();
const NO_METRICS = { recordCreatedJob() {}, recordSkippedSlots() {}, recordFinishedRun() {}, recordStartTimeout() {} };

export async function runPass(
  state: ModelState,
  script: readonly CallOutcome[],
  isCrowded: boolean,
): Promise<PassResult> {
  const initial = { ...withKnownRuns(state, state.cachedJobs), isQueued: false, hasRetry: false, wasClockSet: false };
  const recording = new Recording(initial, script);
  const memory = restoreMemory(KEY, state.memory);
  const client = createClient(recording);
  const reconciler = new CronJobReconciler({
    client,
    apiReader: client as unknown as LiveReader, // a pass uses it only to get Jobs by name
    cache: { get: async () => recording.state.cachedCronJob as never },
    recorder: { event: (_, __, reason, message) => void recording.events.push(`${reason}: ${message}`) },
    clock: createFrozenClock(state),
    metrics: NO_METRICS,
    ...memory,
  });
  const context = {
    log: discardLogger,
    signal: SIGNAL,
    tryContinueAtLowPriority: () => !isCrowded,
    hasWaitingObjects: () => isCrowded,
  };
  const result = await reconciler.reconcile(REQUEST, context);
  const { calls, events, writes, hasDied, faults } = recording;
  const after = { ...recording.state, memory: saveMemory(KEY, memory) };
  return { state: hasDied ? after : scheduleNext(after, result), calls, events, writes, hasDied, faults };
}

function createFrozenClock(state: ModelState): Clock {
  const { nowMs } = state;
  return {
    now: () => new Date(clockMs(state)),
    monotonicMs: () => nowMs,
    schedule: () => () => {},
  } as unknown as Clock;
}

/** Handles the result as the controller of the runtime does. A back-off may end at any time. */
function scheduleNext(state: ModelState, { requeueAfterMs, requeue, retry = false, error }: Result): ModelState {
  const hasFailed = error !== undefined;
  const wakes = requeueAfterMs !== undefined || !hasFailed;
  return {
    ...state,
    isQueued: requeue !== undefined,
    hasRetry: retry || hasFailed,
    ...(wakes && { wakeAtMs: requeueAfterMs === undefined ? undefined : state.nowMs + requeueAfterMs }),
  };
}
