/**
 * The controller of CronJobRuns starts the runs that users request, and counts their results.
 *
 * This file sends the API requests. The rules are pure functions in cronjobrun/. The rules of the CronJob decide whether a run must
 * wait.
 */
import {
  type CachedReader,
  type Clock,
  type EventRecorder,
  formatKey,
  isConflict,
  isNotFound,
  type LiveReader,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  specOrMetadataChanged,
  type Writer,
} from 'controller-runtime';
import { isSameJson } from 'controller-runtime/schema';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunStatus } from '../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION } from '../api/v1/groupversion.ts';
import type { StoredCronJobRun } from '../api/v1/stored-cronjobrun.ts';
import { withDefaults } from './cache-transforms.ts';
import { assess } from './cronjob/facts.ts';
import { findLastSuccess, toRun } from './cronjob/job.ts';
import { buildRequestedJob } from './cronjob/new-job.ts';
import { type CronJobReconciler, RATE_LIMITS } from './cronjob-controller.ts';
import { computeExpiry, concludeRun, type StartAttempt } from './cronjobrun/conclude.ts';
import { applyConcurrencyPolicy, findNextStart } from './cronjobrun/decide.ts';
import { createRunEvents } from './cronjobrun/events.ts';
import {
  assessRun,
  isFinishedRun,
  isJobOf,
  isStarted,
  type RequestedStart,
  type RunFacts,
} from './cronjobrun/facts.ts';
import { CronJobRunMetrics } from './cronjobrun-metrics.ts';
import {
  indexCronJobRuns,
  mapCronJobToNextRuns,
  mapCronJobToRuns,
  mapJobToRuns,
  UNFINISHED_RUNS_INDEX,
  waitEnded,
} from './cronjobrun-watches.ts';
import { JobWriter } from './job-writer.ts';
import type { RequestedStarts } from './requested-starts.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

const MAX_CONCURRENT_RECONCILES = 16;
const STATUS_TIMEOUT_MS = 15_000;
const MAX_FINISHED_JOBS = 1000;
/** The time to wait if the CronJob exists but is not in the cache, for example because another manager runs it. */
const OUT_OF_SCOPE_RETRY_MS = 60_000;

interface CronJobRunReconcilerOptions {
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
  readonly metrics: Pick<CronJobRunMetrics, 'recordResults'>;
  /** Reads the Jobs of a CronJob. */
  readonly observer: Pick<CronJobReconciler, 'observe'>;
  readonly requestedStarts: RequestedStarts;
  /**
   * Statuses that could not be stored, by the key of the CronJobRun. Without these statuses, a run whose Job has been
   * deleted would start again until the status can be stored. Default: empty.
   */
  readonly unstoredStatuses?: Map<string, UnstoredStatus>;
  /**
   * Finished Jobs whose results are not stored yet, by the key of the CronJobRun. A Job with a TTL of 0 may be deleted
   * before a reconcile reads it. Default: empty.
   */
  readonly finishedJobs?: Map<string, Job>;
}

/** The status that could not be stored, with the UID of its CronJobRun. */
export interface UnstoredStatus {
  readonly uid: string;
  readonly status: CronJobRunStatus;
  /**
   * The last status that was known to be stored. When `status` is stored, events and metrics report the difference from
   * `base`.
   */
  readonly base: CronJobRunStatus;
}

interface StartContext extends ReconcileContext {
  /** Whether the reconcile may start a run. */
  readonly canStart: boolean;
}

export class CronJobRunReconciler implements Reconciler<CronJobRun> {
  readonly #options: CronJobRunReconcilerOptions;
  readonly #jobWriter: JobWriter;
  readonly #unstored: Map<string, UnstoredStatus>;
  readonly #finishedJobs: Map<string, Job>;

  constructor(options: CronJobRunReconcilerOptions) {
    this.#options = options;
    this.#jobWriter = new JobWriter(options.clock);
    this.#unstored = options.unstoredStatuses ?? new Map();
    this.#finishedJobs = options.finishedJobs ?? new Map();
  }

  /** Remembers the result of a Job until the status contains the result. Call this method for each event of a Job. */
  recordJob(job: Job): void {
    const isRequested = job.metadata.annotations?.[REQUESTED_BY_ANNOTATION] !== undefined;
    if (!isRequested || toRun(job).state === 'Active') return;
    this.#finishedJobs.set(formatKey(job.metadata), job);
    const [oldest] = this.#finishedJobs.keys();
    if (this.#finishedJobs.size > MAX_FINISHED_JOBS && oldest !== undefined) this.#finishedJobs.delete(oldest);
  }

  async reconcile(request: Request<CronJobRun>, context: ReconcileContext): Promise<Result> {
    const { client } = this.#options;
    const run = await client.get(cronJobRuns, request, { signal: context.signal });
    if (run === undefined) this.#unstored.delete(formatKey(request));
    if (run === undefined || isFinishedRun(run)) this.#jobWriter.forget(formatKey(request));
    if (run === undefined) return {};
    if (isFinishedRun(run)) this.#recordStored(run); // an earlier write was stored, but its response was lost
    return isFinishedRun(run) ? await this.#finish(run, context) : await this.#reconcileRun(run, context);
  }

  async #reconcileRun(storedRun: StoredCronJobRun, context: ReconcileContext): Promise<Result> {
    const { apiReader, clock, recorder } = this.#options;
    const cronJob = storedRun.specFault === undefined ? await this.#readCronJob(storedRun, context) : undefined;
    const isMissing = storedRun.specFault === undefined && cronJob === undefined;
    if (isMissing && (await apiReader.get(cronJobs, toCronJobKey(storedRun), { signal: context.signal })) !== undefined)
      return { requeueAfterMs: OUT_OF_SCOPE_RETRY_MS };
    const unstored = this.#unstored.get(formatKey(storedRun));
    const isUnstored = unstored?.uid === storedRun.metadata.uid;
    const run = isUnstored ? { ...storedRun, status: { ...unstored.status, ...pickAcceptance(storedRun) } } : storedRun;
    const facts = assessRun({ run, cronJob, jobs: await this.#readRunningJobs(run, context) }, clock.now());
    // The status is written after each run, so that a crash forgets at most one run whose Job may be deleted soon.
    const attempt = await this.#tryStart(facts, { ...context, canStart: !isUnstored });
    const outcome = concludeRun(facts, attempt);
    if (attempt.kind === 'Tried' && attempt.result.kind === 'Created')
      recorder.event(run, 'Normal', 'SuccessfulCreate', `Created job ${attempt.start.jobName}`);
    const isStored = await this.#writeStatus(storedRun, outcome.status, context);
    const waitMs = outcome.wakeAt && Math.max(1, outcome.wakeAt.getTime() - clock.now().getTime());
    return {
      // A status that is not stored is written again after the back-off, also if the CronJobRun has expired meanwhile.
      requeueAfterMs: isStored ? waitMs : undefined,
      retry: outcome.mustRetry || !isStored,
      ...((outcome.continues || isUnstored) && isStored && { requeue: 'normal' }),
    };
  }

  async #readCronJob(run: CronJobRun, { signal }: ReconcileContext): Promise<CronJob | undefined> {
    const cronJob = await this.#options.client.get(cronJobs, toCronJobKey(run), { signal });
    return cronJob && withDefaults(cronJob);
  }

  /** Asks the API server for a Job that the cache does not have, because the cache may be late. */
  async #readRunningJobs(run: CronJobRun, { signal }: ReconcileContext): Promise<readonly Job[]> {
    const { client, apiReader } = this.#options;
    const { namespace } = run.metadata;
    const runningEntries = (run.status?.jobs ?? []).filter(({ result }) => result === 'Running');
    const read = async ({ name }: { readonly name: string }) =>
      (await client.get(jobs, { namespace, name }, { signal })) ??
      (await apiReader.get(jobs, { namespace, name }, { signal })) ??
      this.#finishedJobs.get(formatKey({ namespace, name }));
    const runningJobs = await Promise.all(runningEntries.map(read));
    return runningJobs.filter((job) => job !== undefined && isJobOf(run, job)) as readonly Job[];
  }

  async #tryStart(facts: RunFacts, context: StartContext): Promise<StartAttempt> {
    const { run, remaining } = facts;
    const [start] = remaining;
    if (start === undefined || isFinishedRun(run)) return { kind: 'NotTried' };
    const cronJobKey = formatKey(toCronJobKey(run));
    return await this.#options.requestedStarts.inTurn(cronJobKey, () => this.#start(start, facts, context));
  }

  async #start(
    start: RequestedStart,
    facts: RunFacts,
    { canStart, ...reconcileContext }: StartContext,
  ): Promise<StartAttempt> {
    const { client, apiReader, clock, observer, requestedStarts } = this.#options;
    const { run } = facts;
    const context = { client, apiReader, ...reconcileContext, priority: 'normal' } as const;
    const cronJob = await this.#readCronJob(run, context);
    if (cronJob?.metadata.uid !== facts.cronJob?.metadata.uid || cronJob === undefined) return { kind: 'Waiting' };
    const { failure, ...observed } = await observer.observe(cronJob, context);
    const cronJobFacts = assess(observed, clock.now());
    // An earlier reconcile may have created the Job without storing the status.
    if (isStarted(start, run, cronJobFacts)) return { kind: 'Tried', start, result: { kind: 'AlreadyStarted' } };
    // A user may have changed or deleted the CronJobRun or the CronJob while the run waited for its turn.
    const current = await client.get(cronJobRuns, run.metadata, { signal: context.signal });
    if (!canStart || current?.metadata.uid !== run.metadata.uid) return { kind: 'NotTried' };
    const currentFacts = assessRun({ ...facts, run: { ...current, status: facts.status }, cronJob }, clock.now());
    if (findNextStart(currentFacts)?.jobName !== start.jobName) return { kind: 'NotTried' };
    const { namespace, name } = cronJob.metadata;
    const index = { name: UNFINISHED_RUNS_INDEX, value: name };
    const decision = applyConcurrencyPolicy(cronJobFacts, run, await client.list(cronJobRuns, { namespace, index }));
    if (decision.kind === 'Wait') return { ...decision, kind: 'Waiting' };
    // A Job that could not be read may be the run of a CronJobRun, which another CronJobRun must not replace.
    if (decision.replaces.length > 0 && failure !== undefined) return { kind: 'Waiting' };
    const lastSuccess = findLastSuccess(cronJobFacts.status, cronJobFacts.runs);
    const job = buildRequestedJob(cronJob, run, start.slot, lastSuccess);
    requestedStarts.add(formatKey(cronJob), start.jobName);
    const { started } = await this.#jobWriter.start(formatKey(run), { job, replaces: decision.replaces }, context);
    const isForeign = started.kind === 'Adopted' && !isJobOf(run, started.job);
    const result = isForeign ? ({ kind: 'Foreign', jobName: start.jobName } as const) : started;
    return { kind: 'Tried', start, result };
  }

  /** @returns Whether the status is stored. If the status is not stored, the next reconcile continues with it. */
  async #writeStatus(
    storedRun: CronJobRun,
    status: CronJobRunStatus,
    { log, signal }: ReconcileContext,
  ): Promise<boolean> {
    if (isSameJson(status, storedRun.status)) {
      this.#recordStored(storedRun);
      return true;
    }
    const { metadata } = storedRun;
    const key = formatKey(storedRun);
    const unstored = this.#unstored.get(key);
    const base = (unstored?.uid === metadata.uid ? unstored.base : storedRun.status) ?? {};
    this.#unstored.set(key, { uid: metadata.uid, status, base });
    try {
      const options = { signal, timeoutMs: STATUS_TIMEOUT_MS };
      await this.#options.client.updateStatus(cronJobRuns, { metadata, status }, options);
    } catch (error) {
      if (!isNotFound(error)) {
        if (isConflict(error)) log.debug('could not write status: CronJobRun changed meanwhile, will retry');
        else log.error('could not write status, will retry', error);
        return false;
      }
    }
    this.#recordStored({ ...storedRun, status });
    return true;
  }

  /** Reports what has changed since the last status that was known to be stored. */
  #recordStored(run: CronJobRun): void {
    const { recorder, metrics } = this.#options;
    const { metadata, status = {} } = run;
    const unstored = this.#unstored.get(formatKey(run));
    this.#unstored.delete(formatKey(run));
    if (unstored?.uid !== metadata.uid) return;
    for (const { name, result } of status.jobs ?? [])
      if (result !== 'Running') this.#finishedJobs.delete(formatKey({ namespace: metadata.namespace, name }));
    metrics.recordResults(unstored.base, status);
    for (const { type, reason, message } of createRunEvents(unstored.base, status))
      recorder.event(run, type, reason, message);
  }

  /** Deletes the CronJobRun when its TTL has expired. */
  async #finish(run: CronJobRun, { log, signal }: ReconcileContext): Promise<Result> {
    const { client, clock } = this.#options;
    const { namespace, name, uid, deletionTimestamp } = run.metadata;
    const { wakeAt } = computeExpiry(run);
    // A finalizer may keep a CronJobRun that is being deleted.
    if (wakeAt === undefined || deletionTimestamp !== undefined) return {};
    const waitMs = wakeAt.getTime() - clock.now().getTime();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    try {
      await client.delete(cronJobRuns, { namespace, name }, { preconditions: { uid }, signal });
      log.info('deleted finished CronJobRun');
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return {};
  }
}

/**
 * Picks the fields that never change after they are stored. A manager that has ended since may have stored them late.
 */
function pickAcceptance({ status }: CronJobRun): CronJobRunStatus {
  return status?.startTime === undefined ? {} : { cronJobUID: status.cronJobUID, startTime: status.startTime };
}

function toCronJobKey({ metadata, spec }: CronJobRun) {
  return { namespace: metadata.namespace, name: spec.cronJobName };
}

/** The objects that the controller of CronJobs shares with the controller of CronJobRuns. */
export type SharedDependencies = Pick<CronJobRunReconcilerOptions, 'observer' | 'requestedStarts'>;

export function setupCronJobRunsWithManager(manager: Manager, dependencies: SharedDependencies): void {
  const { cache, client, apiReader, clock } = manager;
  indexCronJobRuns(cache);
  const { store } = cache.informerFor(cronJobRuns);
  const toNextRuns = mapCronJobToNextRuns(store);
  const reconciler = new CronJobRunReconciler({
    client,
    apiReader,
    clock,
    recorder: manager.recorderFor('cronjobrun-controller'),
    metrics: new CronJobRunMetrics(manager.metrics.registry),
    ...dependencies,
  });
  manager
    .controller('cronjobrun')
    .for(cronJobRuns, { predicates: [specOrMetadataChanged], verbs: ['delete'] })
    .watches(cronJobRuns, (run) => toNextRuns(toCronJobKey(run)), { predicates: [waitEnded] })
    .watches(cronJobs, ({ metadata }) => mapCronJobToRuns(store)(metadata), { predicates: [specOrMetadataChanged] })
    .watches(cronJobs, ({ metadata }) => toNextRuns(metadata)) // its status says what may start
    .watches(jobs, (job) => {
      reconciler.recordJob(job);
      return mapJobToRuns(job, toNextRuns);
    })
    .withOptions({ maxConcurrentReconciles: MAX_CONCURRENT_RECONCILES, rateLimits: RATE_LIMITS })
    .complete(reconciler);
}
