/**
 * A CronJob starts a Job at each instant of its schedule and keeps account of what became of them.
 *
 * This file only observes, carries out and reports. The rules are in cronjob/plan.ts, their tests in
 * cronjob/plan.test.ts; test/envtest shows them on a real API server.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob, ObjectReference } from '../api/v1/cronjob-types.ts';
import { GROUP } from '../api/v1/groupversion.ts';
import { controllerManagedBy } from '../runtime/builder.ts';
import type { Client, Reader } from '../runtime/client/client.ts';
import { apiErrorOf, isConflict } from '../runtime/client/errors.ts';
import { keyOf } from '../runtime/client/object.ts';
import type { Clock } from '../runtime/clock/clock.ts';
import type { EventRecorder } from '../runtime/events/recorder.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import type { PolicyRule } from '../runtime/policy-rule.ts';
import { specOrMetadataChanged } from '../runtime/predicate.ts';
import type { ReconcileContext, Reconciler, Request, Result } from '../runtime/reconcile.ts';
import { failuresAfter } from './cronjob/applied.ts';
import type { CronJobEvent } from './cronjob/events.ts';
import { keepEdits } from './cronjob/field-edits.ts';
import { type Failures, type Observed, owningCronJob } from './cronjob/observed.ts';
import { plan } from './cronjob/plan.ts';
import { type Settled, settle } from './cronjob/settle.ts';
import type { SlotTally } from './cronjob/tally.ts';
import { CronJobGauges } from './cronjob-gauges.ts';
import { CronJobMetrics } from './cronjob-metrics.ts';
import { carryOut } from './job-writer.ts';
import { cronJobs, jobs } from './resources.ts';

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
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
  readonly metrics: CronJobRunMetrics;
  /** Resolves when no start of a Job waits to be sent. */
  readonly whenIdle: (signal: AbortSignal) => Promise<void>;
}

/** What one pass leaves to the next. */
interface Memory {
  /** Jobs that are active and that no stored status names yet: the cache may not have them for a while. */
  readonly unrecorded: readonly ObjectReference[];
  readonly failures: Failures;
}

const NO_MEMORY: Memory = { unrecorded: [], failures: new Map() };

export class CronJobReconciler implements Reconciler {
  readonly #client: Client;
  readonly #apiReader: Reader;
  readonly #recorder: Pick<EventRecorder, 'event'>;
  readonly #clock: Clock;
  readonly #metrics: CronJobRunMetrics;
  readonly #whenIdle: (signal: AbortSignal) => Promise<void>;
  /** What passes of this process leave to the next one, by CronJob. A new process does as well without. */
  readonly #memories = new Map<string, Memory>();

  constructor({ client, apiReader, recorder, clock, metrics, whenIdle }: CronJobReconcilerOptions) {
    this.#client = client;
    this.#apiReader = apiReader;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#whenIdle = whenIdle;
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const cronJob = await this.#client.get(cronJobs, request);
    if (cronJob === undefined) {
      this.#memories.delete(keyOf(request));
      return {};
    }
    const { unrecorded, failures } = this.#memories.get(keyOf(request)) ?? NO_MEMORY;
    const observed = { cronJob, jobs: await this.#jobsOf(cronJob, unrecorded, context), failures };
    const now = this.#clock.now();

    const planned = plan(observed, now);
    const applied = await carryOut(planned, { client: this.#client, apiReader: this.#apiReader, ...context });
    const { outcome } = planned;
    if (applied.started.kind === 'Created' && outcome.kind === 'Run') this.#metrics.jobCreated(outcome.slot);
    // The books can wait while other CronJobs are due: docs/adr/0003-burst.md.
    if (applied.started.kind === 'Created') await this.#whenIdle(context.signal);

    const settled = settle(observed, planned, applied, now);
    this.#report(cronJob, settled.actionEvents, context);
    const { isStored, retryAfterMs } = await this.#writeStatus(observed, settled, context);
    if (isStored) {
      this.#report(cronJob, settled.transitionEvents, context);
      this.#metrics.slotsPassedOver(settled.tallies);
    }
    this.#remember(keyOf(request), {
      unrecorded: isStored ? [] : (settled.status.active ?? []),
      failures: failuresAfter(failures, outcome, { started: applied.started, isTold: isStored }),
    });
    const { requeueAfterMs } = settled;
    const retry = settled.retry || !isStored;
    return {
      // What wants another pass at once wants it because of this one, which is to be made again first.
      requeueAfterMs: retry && requeueAfterMs === 0 ? undefined : requeueAfterMs,
      retry,
      retryAfterMs: settled.retryAfterMs ?? retryAfterMs,
    };
  }

  #remember(key: string, memory: Memory): void {
    if (memory.unrecorded.length === 0 && memory.failures.size === 0) this.#memories.delete(key);
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
    const { namespace, uid } = metadata;
    const cached = await this.#client.list(jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: uid } });
    const byUid = new Map(cached.map((job) => [job.metadata.uid, job]));
    const expected = [...(status?.active ?? []), ...unrecorded];
    const unseen = new Set(expected.filter((job) => !byUid.has(job.uid ?? '')).map(({ name = '' }) => name));
    const found = await Promise.all(
      [...unseen].map((name) => this.#apiReader.get(jobs, { namespace, name }, { signal })),
    );
    for (const job of found) {
      if (job !== undefined && owningCronJob(job) === uid) byUid.set(job.metadata.uid, job);
    }
    return [...byUid.values()];
  }

  #report(cronJob: CronJob, events: readonly CronJobEvent[], { log }: ReconcileContext): void {
    for (const { type, reason, message } of events) {
      log.info('recorded event', { type, reason, message });
      this.#recorder.event(cronJob, type, reason, message);
    }
  }

  /** When it could not be stored, the pass is made again; what it started, the next one finds. */
  async #writeStatus(
    { cronJob }: Observed,
    { status }: Settled,
    { log, signal }: ReconcileContext,
  ): Promise<{ readonly isStored: boolean; readonly retryAfterMs?: number | undefined }> {
    if (isDeepStrictEqual(status, cronJob.status)) return { isStored: true };
    try {
      await this.#client.updateStatus(cronJobs, { metadata: cronJob.metadata, status }, { signal });
      return { isStored: true };
    } catch (error) {
      if (isConflict(error)) log.debug('status was written by somebody else, will look again');
      else log.error('could not write status, will retry', error);
      return { isStored: false, retryAfterMs: apiErrorOf(error)?.retryAfterMs };
    }
  }
}

/** Sets up the index and the watches, and gives the reconciler to the manager. */
export function setupWithManager(
  manager: Manager,
  options: { readonly maxConcurrentReconciles?: number; readonly metricsMaxCronJobs?: number } = {},
): void {
  manager.cache.setTransform(cronJobs, keepEdits);
  manager.cache.indexField(jobs, JOB_OWNER_INDEX, (job) => {
    const owner = owningCronJob(job);
    return owner === undefined ? [] : [owner];
  });
  const { client, apiReader, clock, whenIdle } = manager;
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
    .complete(new CronJobReconciler({ client, apiReader, clock, recorder, metrics, whenIdle }));
}
