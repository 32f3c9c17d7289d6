/** One pass of the controller that ships, over a state, with a script of what becomes of its calls. */
import {
  ApiError,
  type Client,
  type Clock,
  discardLogger,
  keyOf,
  type LiveReader,
  type Result,
} from 'controller-runtime';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Memory } from '../../controllers/cronjob/memory.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { deletionFault, secondRunFault } from './laws.ts';
import { removeJob, type State, storeNewJob, storeStatus, union } from './state.ts';

/**
 * What becomes of a call. lost: it is not carried out, and fails. refused: 403. unanswered: it is carried out, and fails all the same. The
 * process may die before or after it.
 */
export type CallOutcome = 'ok' | 'lost' | 'refused' | 'unanswered' | 'dies before' | 'dies after';

export interface PassResult {
  readonly state: State;
  /** The calls that reached the client, as text. */
  readonly calls: readonly string[];
  readonly events: readonly string[];
  /** How many of the calls were writes. */
  readonly writes: number;
  readonly hasDied: boolean;
  readonly faults: readonly string[];
}

/** What a test may look at while it runs. */
class Recording {
  state: State;
  readonly calls: string[] = [];
  readonly events: string[] = [];
  readonly faults: string[] = [];
  writes = 0;
  hasDied = false;
  readonly #script: readonly CallOutcome[];

  constructor(state: State, script: readonly CallOutcome[]) {
    this.state = state;
    this.#script = script;
  }

  /** Carries out a call as the script has it. */
  call<T>(name: string, isWrite: boolean, act: () => T): T {
    if (this.hasDied) throw new Error('dead');
    const outcome = this.#script[this.calls.length] ?? 'ok';
    this.calls.push(outcome === 'ok' ? name : `${name}: ${outcome}`);
    if (isWrite) this.writes++;
    if (name.startsWith('delete')) this.state = { ...this.state, owesDelete: outcome !== 'ok' };
    if (outcome === 'dies before') {
      this.hasDied = true;
      throw new Error('dead');
    }
    if (outcome === 'lost') throw new ApiError(500, { reason: 'InternalError', message: 'lost' });
    if (outcome === 'refused') throw new ApiError(403, { reason: 'Forbidden', message: 'refused' });
    const answer = act();
    if (outcome === 'dies after') this.hasDied = true;
    if (outcome !== 'ok') throw new Error('no answer');
    return answer;
  }
}

export async function runPass(state: State, script: readonly CallOutcome[], isCrowded: boolean): Promise<PassResult> {
  const read = union(state.known, namesOf(state.cachedJobs));
  const recording = new Recording({ ...state, known: read, isQueued: false, hasRetry: false }, script);
  const memories = new Map<string, Memory>(state.memory ? [[keyOf(state.cronJob.metadata), state.memory]] : []);
  const client = clientOf(recording);
  const reconciler = new CronJobReconciler({
    client,
    apiReader: client as unknown as LiveReader, // a pass asks it for Jobs by name only
    cache: { get: async () => recording.state.cachedCronJob as never },
    recorder: { event: (_, __, reason, message) => void recording.events.push(`${reason}: ${message}`) },
    clock: frozenAt(state.nowMs),
    metrics: NO_METRICS,
    memories,
  });
  const context = {
    log: discardLogger,
    signal: SIGNAL,
    lowerPriority: () => !isCrowded,
    othersWait: () => isCrowded,
  };
  const { namespace = '', name } = state.cronJob.metadata;
  const result = await reconciler.reconcile({ namespace, name }, context);
  const { calls, events, writes, hasDied, faults } = recording;
  const after = { ...recording.state, memory: memories.get(keyOf(state.cronJob.metadata)) };
  return { state: hasDied ? after : scheduled(after, result), calls, events, writes, hasDied, faults };
}

const { signal: SIGNAL } = new AbortController();
const NO_METRICS = { jobCreated() {}, slotsPassedOver() {}, runFinished() {}, startTimedOut() {} };

function frozenAt(nowMs: number): Clock {
  return { now: () => new Date(nowMs), monotonicMs: () => nowMs, schedule: () => () => {} } as unknown as Clock;
}

/** As the controller of the runtime obeys a result. A back-off may end at any time. */
function scheduled(state: State, { requeueAfterMs, requeue, retry = false, error }: Result): State {
  const hasFailed = error !== undefined;
  const wakes = requeueAfterMs !== undefined || !hasFailed;
  return {
    ...state,
    isQueued: requeue !== undefined,
    hasRetry: retry || hasFailed,
    ...(wakes && { wakeAtMs: requeueAfterMs === undefined ? undefined : state.nowMs + requeueAfterMs }),
  };
}

/** The client as the runtime promises it: CronJobs as this process last wrote them, Jobs as the cache has them. */
function clientOf(recording: Recording): Client {
  const get = async ({ kind }: { readonly kind: string }, { name }: { readonly name: string }) => {
    const { state } = recording;
    if (kind !== cronJobs.kind) {
      const found = recording.call(`get ${name}`, false, () => findJob(recording.state, name));
      recording.state = { ...recording.state, known: union(recording.state.known, namesOf(found ? [found] : [])) };
      return found;
    }
    if (state.isUnsure) return recording.call('get the CronJob', false, () => recording.state.cronJob);
    return state.written ?? state.cachedCronJob;
  };
  const create = async (_: unknown, job: NewJob) => {
    const created = recording.call(`create ${job.metadata.name}`, true, () => {
      const { name } = job.metadata;
      if (findJob(recording.state, name)) throw new ApiError(409, { reason: 'AlreadyExists' });
      recording.faults.push(...secondRunFault(recording.state, name));
      const stored = storeNewJob(recording.state, job);
      recording.state = stored.state;
      return stored.job;
    });
    recording.state = { ...recording.state, known: union(recording.state.known, namesOf([created])) };
    return created;
  };
  const updateStatus = async (_: unknown, sent: CronJob) => {
    try {
      const stored = recording.call('write the status', true, () => {
        const { cronJob } = recording.state;
        if (sent.metadata.resourceVersion !== cronJob.metadata.resourceVersion)
          throw new ApiError(409, { reason: 'Conflict' });
        recording.state = storeStatus(recording.state, sent.status as CronJobStatus);
        return recording.state.cronJob;
      });
      recording.state = { ...recording.state, written: stored, isUnsure: false };
      return stored;
    } catch (error) {
      recording.state = { ...recording.state, isUnsure: true };
      throw error;
    }
  };
  const remove = async (_: unknown, { name }: { readonly name: string }, options: DeleteOptions) =>
    recording.call(`delete ${name}`, true, () => {
      const job = findJob(recording.state, name);
      if (job === undefined) throw new ApiError(404, { reason: 'NotFound' });
      if (job.metadata.uid !== options.preconditions?.uid) throw new ApiError(409, { reason: 'Conflict' });
      recording.faults.push(...deletionFault(recording.state, job));
      recording.state = removeJob(recording.state, job);
    });
  const list = async () => recording.state.cachedJobs;
  return { get, list, create, updateStatus, delete: remove } as unknown as Client; // what a pass uses of it
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string };
}

function namesOf(jobs: readonly Job[]): readonly string[] {
  return jobs.map(({ metadata }) => metadata.name);
}

function findJob({ jobs }: State, name: string): Job | undefined {
  return jobs.find(({ metadata }) => metadata.name === name);
}
