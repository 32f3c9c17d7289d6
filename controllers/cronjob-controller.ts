/**
 * The controller of CronJobs starts a Job at each scheduled time and records the results in the status.
 *
 * This file sends the API requests. The rules are pure functions in cronjob/: facts.ts, decide.ts and conclude.ts.
 */
import {
  type CachedReader,
  type Clock,
  type EventRecorder,
  enqueueRequestForOwner,
  formatKey,
  type LiveReader,
  type Manager,
  type PriorityFunction,
  type Reader,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type ResourceRule,
  type Result,
  specOrMetadataChanged,
  type Writer,
} from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import { canRunWait } from '../api/v1/concurrency.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { GROUP } from '../api/v1/groupversion.ts';
import { toCronJobName } from '../api/v1/job-names.ts';
import { trimCronJob, trimCronJobRun, trimJob, withDefaults } from './cache-transforms.ts';
import { computePruning, computeRequeue, computeRequeueAfterFailureMs, conclude } from './cronjob/conclude.ts';
import { decide, findCreatedSlot } from './cronjob/decide.ts';
import { createPruningEvents, createStartCheckEvents, type Notifications } from './cronjob/events.ts';
import { assess, type Facts, type Observation, selectJobs } from './cronjob/facts.ts';
import { type PendingStatus, withPendingStatus } from './cronjob/pending.ts';
import { listJobsToCheck } from './cronjob/start-timeout.ts';
import { CronJobGauges } from './cronjob-gauges.ts';
import { CronJobMetrics } from './cronjob-metrics.ts';
import { Housekeeping } from './housekeeping.ts';
import { PRUNING_OPTIONS, pruneJobs } from './job-pruner.ts';
import { indexJobsByOwner, type JobReadResult, readJobs } from './job-reader.ts';
import { JobStartChecker } from './job-start-checker.ts';
import { type FailedCreate, JobWriter } from './job-writer.ts';
import { RequestedStarts } from './requested-starts.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';
import { StatusWriter } from './status-writer.ts';

/** The default allows eight reconciles for each request that may be in flight: docs/adr/0029-status-later.md. */
export const DEFAULT_MAX_CONCURRENT_RECONCILES = 512;

/** A refused create is retried at least once a minute, because no event reports that a quota has room again. */
export const RATE_LIMITS = { maxDelayMs: 60_000 };

/**
 * RBAC rules for requests to kinds that the controller does not watch. hack/manager-rules.ts derives the other rules from the
 * set-up functions.
 */
export const EXTRA_RBAC_RULES: readonly ResourceRule[] = [
  // The admission plugin OwnerReferencesPermissionEnforcement requires this rule for `blockOwnerDeletion`.
  { group: GROUP, resources: ['cronjobs/finalizers'], verbs: ['update'] },
  { group: '', resources: ['pods'], verbs: ['list'] },
  { group: '', resources: ['events'], verbs: ['create', 'patch'] },
];

interface CronJobReconcilerOptions {
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  /** Reads from the cache, even if the client would read from the API server. */
  readonly cache: Pick<Reader, 'get'>;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
  readonly metrics: Pick<
    CronJobMetrics,
    'recordCreatedJob' | 'recordSkippedSlots' | 'recordFinishedRun' | 'recordStartTimeout'
  >;
  /** Shared with the controller of CronJobRuns. By default, only this controller starts Jobs. */
  readonly requestedStarts?: RequestedStarts;
  /** Pending statuses by the key of the CronJob. Default: empty. */
  readonly pendingStatuses?: Map<string, PendingStatus>;
  /** Failed creates by the key of the CronJob. Default: empty. */
  readonly failedCreates?: Map<string, readonly FailedCreate[]>;
}

type CronJobReconcileContext = ReconcileContext & Pick<CronJobReconcilerOptions, 'client' | 'apiReader' | 'cache'>;
type ObserveContext = Pick<CronJobReconcileContext, 'client' | 'apiReader' | 'signal'>;

/** Reconciles CronJobs. `#pass` has all steps of a reconcile. */
export class CronJobReconciler implements Reconciler<CronJob> {
  readonly #options: CronJobReconcilerOptions;
  readonly #requestedStarts: RequestedStarts;
  readonly #jobWriter: JobWriter;
  readonly #statusWriter: StatusWriter;
  readonly #pruning: Housekeeping;
  readonly #startChecker: JobStartChecker;

  constructor(options: CronJobReconcilerOptions) {
    const { client, clock } = options;
    this.#options = options;
    this.#requestedStarts = options.requestedStarts ?? new RequestedStarts();
    this.#jobWriter = new JobWriter(clock, options.failedCreates);
    this.#statusWriter = new StatusWriter(client, clock, options.pendingStatuses);
    this.#pruning = new Housekeeping(clock, PRUNING_OPTIONS);
    this.#startChecker = new JobStartChecker(clock);
  }

  async reconcile(request: Request<CronJob>, reconcileContext: ReconcileContext): Promise<Result> {
    const { client, apiReader, cache, clock } = this.#options;
    const context = { client, apiReader, cache, ...reconcileContext };
    try {
      // After a failed write, the client reads from the API server. With the priority, a status write that hangs does not delay the
      // read.
      const cachedCronJob = await client.get(cronJobs, request, { signal: context.signal, priority: 'urgent' });
      if (cachedCronJob === undefined) return this.#forget(formatKey(request));
      return await this.#requestedStarts.inTurn(formatKey(request), () =>
        this.#reconcileCronJob(withDefaults(cachedCronJob), context),
      );
    } catch (error) {
      const cronJob = await cache.get(cronJobs, request);
      return { error, requeueAfterMs: cronJob && computeRequeueAfterFailureMs(cronJob, clock.now()) };
    }
  }

  async #reconcileCronJob(cronJob: CronJob, context: CronJobReconcileContext): Promise<Result> {
    const { clock, metrics } = this.#options;
    const key = formatKey(cronJob);
    const { failure, ...observed } = await this.observe(cronJob, context);
    this.#jobWriter.markLookedUp(key);
    const facts = assess(observed, clock.now());
    const decision = decide(facts);
    context.log.debug('decided what to start', { decision: decision.kind, unmetSlots: facts.due.unmet.count });

    const results = await this.#jobWriter.start(key, decision, context);
    const slot = findCreatedSlot(decision, results.started);
    if (slot !== undefined) metrics.recordCreatedJob(facts.parsed.startOf(slot));

    const outcome = conclude(facts, decision, results);
    this.#record(cronJob, outcome.events, context);
    const write = await this.#statusWriter.write(cronJob, outcome, context);
    if (write.kind === 'Stored') this.#notify(cronJob, write.notifications, context);
    // Pruning is last, so that a delete that hangs delays no other step: docs/adr/0018-housekeeping-last.md.
    const pruning = computePruning(facts, outcome.status, write);
    const prunesLater = pruning.canWait && context.hasWaitingObjects();
    if (!prunesLater) {
      const pruned = await pruneJobs(key, pruning.jobs, this.#pruning, context);
      this.#record(cronJob, createPruningEvents(pruned), context);
    }
    const canCheckStarts = write.kind === 'Stored' || write.kind === 'Failed';
    const startCheckAfterMs = canCheckStarts ? await this.#checkStarts(facts, context) : undefined;
    if (write.kind === 'Gone') this.#forget(key);
    const backOffsMs = [this.#statusWriter.remainingMs(key), this.#pruning.remainingMs(key), startCheckAfterMs];
    const requeue = computeRequeue(outcome, write, backOffsMs, prunesLater);
    return { ...requeue, ...failure, ...(this.#jobWriter.isFailing(key) && { keepsBackOff: true }) };
  }

  /** Reads the Jobs of a CronJob, including the Jobs that a CronJobRun has just started. */
  async observe(cronJob: CronJob, context: ObserveContext): Promise<Observation & Pick<JobReadResult, 'failure'>> {
    const key = formatKey(cronJob);
    const pending = this.#statusWriter.pending(cronJob);
    const newestCronJob = withPendingStatus(cronJob, pending);
    const uncertainJobNames = this.#jobWriter.uncertainJobs(key);
    const { jobs: ownedJobs, failure } = await readJobs(newestCronJob, uncertainJobNames, context);
    const requestedJobs = this.#requestedStarts.has(key)
      ? await this.#requestedStarts.recentJobs(cronJob, ownedJobs, context.client)
      : [];
    return {
      cronJob: newestCronJob,
      stored: cronJob.status ?? {},
      jobs: requestedJobs.length === 0 ? ownedJobs : selectJobs(newestCronJob, [...ownedJobs, ...requestedJobs]),
      failedJobs: this.#jobWriter.failedJobs(key),
      // If the CRD of the cluster drops fields of the status, the runs can never be recorded.
      hasTriedToRecord: pending?.kind === 'Altered' || pending?.hasTriedToRecord === true,
      ...(failure && { failure }),
    };
  }

  /** @returns The wait before the remaining checks, in milliseconds. */
  async #checkStarts(facts: Facts, context: CronJobReconcileContext): Promise<number | undefined> {
    const checked = await this.#startChecker.check(facts.cronJob, listJobsToCheck(facts), context);
    for (const _ of checked.ended) this.#options.metrics.recordStartTimeout();
    this.#record(facts.cronJob, createStartCheckEvents(checked), context);
    return checked.continueAfterMs;
  }

  #forget(key: string): Result {
    for (const component of [
      this.#jobWriter,
      this.#statusWriter,
      this.#pruning,
      this.#startChecker,
      this.#requestedStarts,
    ])
      component.forget(key);
    return {};
  }

  #notify(cronJob: CronJob, { events, skips, finished }: Notifications, context: CronJobReconcileContext): void {
    const { metrics } = this.#options;
    metrics.recordSkippedSlots(skips);
    for (const { result, seconds } of finished) metrics.recordFinishedRun(result, seconds);
    this.#record(cronJob, events, context);
  }

  /** Logs normal events at debug level, as controller-runtime does, because a busy cluster has thousands of them per minute. */
  #record(cronJob: CronJob, events: Notifications['events'], { log }: CronJobReconcileContext): void {
    for (const { type, reason, message } of events) {
      log[type === 'Warning' ? 'info' : 'debug']('recorded event', { type, reason, message });
      this.#options.recorder.event(cronJob, type, reason, message);
    }
  }
}

interface SetupOptions {
  /** Default: {@link DEFAULT_MAX_CONCURRENT_RECONCILES}. */
  readonly maxConcurrentReconciles?: number;
  readonly metricsMaxCronJobs?: number;
  /** Label selector of the CronJobs to reconcile. Default: all CronJobs. */
  readonly watchLabelSelector?: string | undefined;
}

/** @returns The parts that the controller of CronJobRuns needs. */
export function setupWithManager(manager: Manager, options: SetupOptions = {}) {
  const { watchLabelSelector: labelSelector } = options;
  manager.cache.configure(cronJobs, { transform: trimCronJob, ...(labelSelector && { labelSelector }) });
  manager.cache.configure(jobs, { transform: trimJob });
  // After an upgrade without the new CRD or the new roles, CronJobs must still start runs.
  manager.cache.configure(cronJobRuns, { transform: trimCronJobRun, optional: true });
  indexJobsByOwner(manager.cache);
  const { client, apiReader, cache, clock } = manager;
  const recorder = manager.recorderFor('cronjob-controller');
  const { registry } = manager.metrics;
  const metrics = new CronJobMetrics({ registry, clock });
  const { store: cronJobStore } = manager.cache.informerFor(cronJobs);
  const { store: jobStore } = manager.cache.informerFor(jobs);
  const max = options.metricsMaxCronJobs;
  manager.addController(new CronJobGauges({ registry, cronJobs: cronJobStore, jobs: jobStore, clock, max }));
  const requestedStarts = new RequestedStarts();
  const reconciler = new CronJobReconciler({ client, apiReader, cache, clock, recorder, metrics, requestedStarts });
  manager
    .controller('cronjob')
    .for(cronJobs, { predicates: [specOrMetadataChanged] })
    .watches(jobs, mapJobToCronJob(cronJobStore), createJobWatchOptions(cronJobStore))
    .watches(cronJobRuns, mapRunToCronJob(cronJobStore), { priority: () => 'low' })
    .withOptions({
      maxConcurrentReconciles: options.maxConcurrentReconciles ?? DEFAULT_MAX_CONCURRENT_RECONCILES,
      rateLimits: RATE_LIMITS,
    })
    .complete(reconciler);
  return { observer: reconciler, requestedStarts };
}

type CronJobLookup = Pick<ReadonlyMap<string, CronJob>, 'get'>;

/**
 * Returns a function that maps a changed Job to the CronJob that controls it. A Job that has lost its owner reference is mapped to the
 * CronJob that lists it as active.
 */
export function mapJobToCronJob(cronJobStore: CronJobLookup): (job: Job) => readonly Request<CronJob>[] {
  const toOwner = enqueueRequestForOwner(cronJobs, { onlyController: true });
  return (job) => {
    const [owner] = toOwner(job);
    // CronJobs outside of the cache belong to another manager.
    if (owner !== undefined) return cronJobStore.get(formatKey(owner)) ? [owner] : [];
    const { namespace, name: jobName, uid } = job.metadata;
    const key = { namespace, name: toCronJobName(jobName) };
    const isListed = cronJobStore.get(formatKey(key))?.status?.active?.some((active) => active.uid === uid);
    return isListed ? [key] : [];
  };
}

/** Returns a function that maps a CronJobRun to its CronJob, whose reconcile deletes the Jobs that the CronJobRun has counted. */
export function mapRunToCronJob(cronJobStore: CronJobLookup): (run: CronJobRun) => readonly Request<CronJob>[] {
  return ({ metadata: { namespace }, spec: { cronJobName: name } }) =>
    cronJobStore.get(formatKey({ namespace, name })) ? [{ namespace, name }] : [];
}

/**
 * Reconciles for a changed Job have low priority, because they only update the status. If a due run may wait for the
 * Job, the reconciles have normal priority. The delete of a Job shortens the back-off, because the delete may free
 * quota for a refused run.
 */
export function createJobWatchOptions(cronJobStore: CronJobLookup) {
  const toRequests = mapJobToCronJob(cronJobStore);
  const priority: PriorityFunction<Job> = (job) => {
    const [key] = toRequests(job);
    const cronJob = key && cronJobStore.get(formatKey(key));
    return cronJob && canRunWait(cronJob.spec) ? 'normal' : 'low';
  };
  return { priority, deletionShortensBackOff: true, verbs: ['create', 'patch', 'delete'] };
}
