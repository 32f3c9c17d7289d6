/**
 * A CronJob starts a Job at each instant of its schedule and keeps account of what became of them.
 *
 * This file only observes, carries out and reports. The rules are in cronjob/plan.ts, their tests in
 * cronjob/plan.test.ts; test/envtest shows them on a real API server.
 */
import type { Job } from '../api/kubernetes.ts';
import { completeCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob, ObjectReference } from '../api/v1/cronjob-types.ts';
import { GROUP } from '../api/v1/groupversion.ts';
import { controllerManagedBy } from '../runtime/builder.ts';
import type { Client, Reader } from '../runtime/client/client.ts';
import type { Clock } from '../runtime/clock/clock.ts';
import type { EventRecorder } from '../runtime/events/recorder.ts';
import { type KeyOf, keyOf } from '../runtime/kubernetes/resource.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import type { PolicyRule } from '../runtime/policy-rule.ts';
import { specOrMetadataChanged } from '../runtime/predicate.ts';
import type { ReconcileContext, Reconciler, Result } from '../runtime/reconcile.ts';
import { keepOfCronJob, keepOfJob } from './cache-transforms.ts';
import { failuresAfter } from './cronjob/applied.ts';
import { type CronJobEvent, eventsOfPruning } from './cronjob/events.ts';
import { jobsToPrune } from './cronjob/history.ts';
import { type Failures, owningCronJob, type Unstored, unstoredOf } from './cronjob/observed.ts';
import { type Plan, plan } from './cronjob/plan.ts';
import { requeueAfterFailureMs, type Settled, settle } from './cronjob/settle.ts';
import type { SlotTally } from './cronjob/tally.ts';
import { CronJobGauges } from './cronjob-gauges.ts';
import { CronJobMetrics } from './cronjob-metrics.ts';
import { JobPruner } from './job-pruner.ts';
import { JobWriter } from './job-writer.ts';
import { cronJobs, jobs } from './resources.ts';
import { type StatusWrite, StatusWriter } from './status-writer.ts';

/** Field index of Jobs by the UID of their controller: a CronJob's children, without looking at anybody else's. */
const JOB_OWNER_INDEX = 'controller-uid';

/** What the manager does in the cluster, and so must be allowed to do. config/rbac/role.yaml is made from it. */
export const RBAC: readonly PolicyRule[] = [
  { group: GROUP, resources: ['cronjobs'], verbs: ['get', 'list', 'watch'] },
  { group: GROUP, resources: ['cronjobs/status'], verbs: ['update'] },
  // Asked for by OwnerReferencesPermissionEnforcement, as Jobs block the deletion of their owner.
  { group: GROUP, resources: ['cronjobs/finalizers'], verbs: ['update'] },
  { group: 'batch', resources: ['jobs'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { group: '', resources: ['events'], verbs: ['create', 'patch'] },
];

/** What is measured of the runs. */
export interface CronJobRunMetrics {
  /** The Job of `slot` was created just now. */
  jobCreated(slot: Date): void;
  /** Slots that were settled without a run. */
  slotsPassedOver(tallies: readonly SlotTally[]): void;
}

interface CronJobReconcilerOptions {
  /** Reads CronJobs and Jobs from the cache, writes to the API server. */
  readonly client: Client;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  /** Reads from the cache as it is, and so never fails. */
  readonly cache: Pick<Reader, 'get'>;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
  readonly metrics: CronJobRunMetrics;
  /** Resolves when no start of a Job waits to be sent, or soon after. */
  readonly whenIdle: (signal: AbortSignal) => Promise<void>;
}

/** What one pass leaves to the next. */
interface Memory {
  /** Of the CronJob: another one of its name has nothing to do with it. */
  readonly uid: string;
  /** Jobs that are active and that no stored status names yet: the cache may not have them for a while. */
  readonly unrecorded: readonly ObjectReference[];
  readonly failures: Failures;
  readonly unstored: Unstored;
}

const NO_MEMORY: Omit<Memory, 'uid'> = { unrecorded: [], failures: new Map(), unstored: {} };

export class CronJobReconciler implements Reconciler {
  readonly #options: CronJobReconcilerOptions;
  readonly #jobs: JobWriter;
  readonly #statuses: StatusWriter;
  readonly #pruner: JobPruner;
  /** What passes of this process leave to the next one, by CronJob. A new process does as well without. */
  readonly #memories = new Map<string, Memory>();

  constructor(options: CronJobReconcilerOptions) {
    const { client, clock } = options;
    this.#options = options;
    this.#jobs = new JobWriter(clock);
    this.#statuses = new StatusWriter(client, clock);
    this.#pruner = new JobPruner(clock);
  }

  async reconcile(request: KeyOf<CronJob>, context: ReconcileContext): Promise<Result> {
    const { client, cache, clock } = this.#options;
    const { signal } = context;
    try {
      // Asks the API server after a write that failed. A run may be due, and must not wait behind status writes that hang.
      const found = await client.get(cronJobs, request, { signal, priority: 'urgent' });
      // Not everything comes through the cache: what was written last may be newer.
      return found === undefined ? this.#forget(keyOf(request)) : await this.#pass(completeCronJob(found), context);
    } catch (error) {
      // Whatever a pass fails at, the next slot has its wake-up.
      const cronJob = await cache.get(cronJobs, request);
      return { error, requeueAfterMs: cronJob && requeueAfterFailureMs(cronJob, clock.now()) };
    }
  }

  async #pass(cronJob: CronJob, context: ReconcileContext): Promise<Result> {
    const { client, apiReader, clock, metrics, whenIdle } = this.#options;
    const key = keyOf(cronJob);
    const { unrecorded, failures, unstored } = this.#memoryOf(cronJob);
    const jobsOfCronJob = await this.#jobsOf(cronJob, unrecorded, context);
    const observed = { cronJob: this.#statuses.withStatusAsSent(cronJob), jobs: jobsOfCronJob, failures, unstored };
    const now = clock.now();

    const planned = plan(observed, now);
    const { outcome } = planned;
    const applied = await this.#jobs.start(key, outcome, { client, apiReader, ...context });
    const { started } = applied;
    if (started.kind === 'Created' && outcome.kind === 'Run') metrics.jobCreated(outcome.slot);
    // The books can wait while other CronJobs are due: docs/adr/0003-burst.md.
    if (started.kind === 'Created') await whenIdle(context.signal);

    const settled = settle(observed, planned, applied, now);
    this.#report(cronJob, settled.actionEvents, context);
    const write = await this.#statuses.write(cronJob, settled.status, context);
    if (write.kind === 'Gone') {
      this.#forget(key);
      // Or an API server does not serve the kind yet. The next slot of a CronJob that is there has its wake-up.
      const { requeueAfterMs, retry, retryAfterMs } = settled;
      return { requeueAfterMs, retry, retryAfterMs };
    }
    const isStored = write.kind === 'Stored';
    if (isStored) {
      this.#report(cronJob, settled.transitionEvents, context);
      metrics.slotsPassedOver(settled.tallies);
    }
    this.#remember(key, {
      uid: cronJob.metadata.uid,
      unrecorded: isStored ? [] : (settled.status.active ?? []),
      unstored: isStored ? {} : unstoredOf(settled.status, cronJob.status),
      failures: failuresAfter(failures, outcome, { started, isTold: isStored }),
    });
    await this.#prune(cronJob, { planned, settled, write }, context);
    return this.#result(key, settled, settled.again && isStored);
  }

  /** Last, so that a delete which is denied or hangs delays nothing. */
  async #prune(
    cronJob: CronJob,
    { planned, settled, write }: { readonly planned: Plan; readonly settled: Settled; readonly write: StatusWrite },
    context: ReconcileContext,
  ): Promise<void> {
    const isStored = write.kind === 'Stored';
    const prune = isStored
      ? jobsToPrune({ ...cronJob, status: write.status }, planned.runs, settled.status)
      : jobsToPrune(cronJob, planned.runs);
    const { client } = this.#options;
    const pruned = await this.#pruner.prune(keyOf(cronJob), prune, { client, ...context });
    this.#report(cronJob, eventsOfPruning(pruned), context);
  }

  /** Each part that failed has a back-off of its own, and none delays the next slot. */
  #result(key: string, { requeueAfterMs, retry, retryAfterMs }: Settled, isAgain: boolean): Result {
    const waits = [requeueAfterMs, this.#statuses.remainingMs(key), this.#pruner.remainingMs(key)];
    const soonest = Math.min(...waits.filter((wait) => wait !== undefined), isAgain ? 0 : Number.POSITIVE_INFINITY);
    return { requeueAfterMs: Number.isFinite(soonest) ? soonest : undefined, retry, retryAfterMs };
  }

  #forget(key: string): Result {
    this.#memories.delete(key);
    for (const part of [this.#jobs, this.#statuses, this.#pruner]) part.forget(key);
    return {};
  }

  #memoryOf(cronJob: CronJob): Omit<Memory, 'uid'> {
    const memory = this.#memories.get(keyOf(cronJob));
    return memory?.uid === cronJob.metadata.uid ? memory : NO_MEMORY;
  }

  #remember(key: string, memory: Memory): void {
    const { unrecorded, failures, unstored } = memory;
    const isEmpty = unrecorded.length === 0 && failures.size === 0 && Object.keys(unstored).length === 0;
    if (isEmpty) this.#memories.delete(key);
    else this.#memories.set(key, memory);
  }

  /**
   * Its Jobs, those included that the status names or this process has started, and that the cache has not: they may be
   * newer than the cache, or gone.
   */
  async #jobsOf(
    { metadata, status }: CronJob,
    unrecorded: readonly ObjectReference[],
    { signal }: ReconcileContext,
  ): Promise<readonly Job[]> {
    const { client, apiReader } = this.#options;
    const { namespace, uid } = metadata;
    const cached = await client.list(jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: uid }, signal });
    const byUid = new Map(cached.map((job) => [job.metadata.uid, job]));
    const expected = [...(status?.active ?? []), ...unrecorded];
    const unseen = new Set(expected.filter((job) => !byUid.has(job.uid ?? '')).map(({ name = '' }) => name));
    const found = await Promise.all(
      [...unseen].map((name) => apiReader.get(jobs, { namespace, name }, { signal, priority: 'urgent' })),
    );
    for (const job of found) {
      if (job !== undefined && owningCronJob(job) === uid) byUid.set(job.metadata.uid, job);
    }
    return [...byUid.values()];
  }

  #report(cronJob: CronJob, events: readonly CronJobEvent[], { log }: ReconcileContext): void {
    for (const { type, reason, message } of events) {
      log.info('recorded event', { type, reason, message });
      this.#options.recorder.event(cronJob, type, reason, message);
    }
  }
}

/** Sets up the index and the watches, and gives the reconciler to the manager. */
export function setupWithManager(
  manager: Manager,
  options: { readonly maxConcurrentReconciles?: number; readonly metricsMaxCronJobs?: number } = {},
): void {
  manager.cache.setTransform(cronJobs, keepOfCronJob);
  manager.cache.setTransform(jobs, keepOfJob);
  manager.cache.indexField(jobs, JOB_OWNER_INDEX, (job) => {
    const owner = owningCronJob(job);
    return owner === undefined ? [] : [owner];
  });
  const { client, apiReader, cache, clock, whenIdle } = manager;
  const recorder = manager.recorderFor('cronjob-controller');
  const { registry } = manager.metrics;
  const metrics = new CronJobMetrics({ registry, clock });
  const { store } = manager.cache.informerFor(cronJobs);
  manager.addController(new CronJobGauges({ registry, cronJobs: store, max: options.metricsMaxCronJobs }));
  controllerManagedBy(manager)
    .named('cronjob')
    .for(cronJobs, specOrMetadataChanged)
    .owns(jobs)
    .withOptions(options)
    .complete(new CronJobReconciler({ client, apiReader, cache, clock, recorder, metrics, whenIdle }));
}
