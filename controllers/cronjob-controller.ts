/**
 * A CronJob starts a Job at each instant of its schedule and keeps account of what became of them.
 *
 * This file only observes, carries out and reports. The rules are in cronjob/plan.ts, their tests in
 * cronjob/plan.test.ts; test/envtest shows them on a real API server.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { controllerManagedBy } from '../runtime/builder.ts';
import type { Client, Reader } from '../runtime/client/client.ts';
import { isConflict } from '../runtime/client/errors.ts';
import { controllerOf } from '../runtime/client/object.ts';
import type { Clock } from '../runtime/clock/clock.ts';
import type { EventRecorder } from '../runtime/events/recorder.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import { specOrMetadataChanged } from '../runtime/predicate.ts';
import type { ReconcileContext, Reconciler, Request, Result } from '../runtime/reconcile.ts';
import type { Started } from './cronjob/applied.ts';
import type { CronJobEvent } from './cronjob/events.ts';
import type { Observed } from './cronjob/observed.ts';
import { type Outcome, plan } from './cronjob/plan.ts';
import { type Settled, settle } from './cronjob/settle.ts';
import { type PassContext, pruneJobs, startJob } from './job-writer.ts';
import { cronJobs, jobs } from './resources.ts';

/** Field index of Jobs by the UID of their controller: a CronJob's children, without looking at anybody else's. */
const JOB_OWNER_INDEX = 'controller-uid';

interface CronJobReconcilerOptions {
  /** Reads CronJobs and Jobs from the cache, writes to the API server. */
  readonly client: Client;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
}

class CronJobReconciler implements Reconciler {
  readonly #client: Client;
  readonly #apiReader: Reader;
  readonly #recorder: Pick<EventRecorder, 'event'>;
  readonly #clock: Clock;

  constructor({ client, apiReader, recorder, clock }: CronJobReconcilerOptions) {
    this.#client = client;
    this.#apiReader = apiReader;
    this.#recorder = recorder;
    this.#clock = clock;
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const cronJob = await this.#client.get(cronJobs, request);
    if (cronJob === undefined) return {};
    const observed = { cronJob, jobs: await this.#jobsOf(cronJob, context) };
    const now = this.#clock.now();

    const planned = plan(observed, now);
    const pass = { client: this.#client, apiReader: this.#apiReader, ...context };
    const pruned = await pruneJobs(planned.prune, pass);
    const started = await startPlanned(planned.outcome, pass);
    const settled = settle(observed, planned, { started, pruned }, now);

    this.#report(cronJob, settled.actionEvents, context);
    const isStored = await this.#writeStatus(observed, settled, context);
    if (isStored) this.#report(cronJob, settled.transitionEvents, context);
    const { requeueAfterMs, retry, retryAfterMs } = settled;
    return { requeueAfterMs, retry: retry || !isStored, retryAfterMs };
  }

  /** Its Jobs, those included that the status names and the cache has not: they may be newer than the cache, or gone. */
  async #jobsOf({ metadata, status }: CronJob, { signal }: ReconcileContext): Promise<readonly Job[]> {
    const { namespace, uid } = metadata;
    const cached = await this.#client.list(jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: uid } });
    const cachedUids = new Set(cached.map((job) => job.metadata.uid));
    const unseen = (status?.active ?? []).filter((reference) => !cachedUids.has(reference.uid ?? ''));
    const found = await Promise.all(
      unseen.map(({ name = '' }) => this.#apiReader.get(jobs, { namespace, name }, { signal })),
    );
    return [...cached, ...found.filter((job) => job !== undefined).filter((job) => controllerOf(job)?.uid === uid)];
  }

  #report(cronJob: CronJob, events: readonly CronJobEvent[], { log }: ReconcileContext): void {
    for (const { type, reason, message } of events) {
      log.info('recorded event', { type, reason, message });
      this.#recorder.event(cronJob, type, reason, message);
    }
  }

  /** Returns false when it could not be stored. The pass is then made again; what it started, the next one finds. */
  async #writeStatus({ cronJob }: Observed, { status }: Settled, { log, signal }: ReconcileContext): Promise<boolean> {
    if (isDeepStrictEqual(status, cronJob.status)) return true;
    try {
      await this.#client.updateStatus(cronJobs, { metadata: cronJob.metadata, status }, { signal });
      return true;
    } catch (error) {
      if (isConflict(error)) log.debug('status was written by somebody else, will look again');
      else log.error('could not write status, will retry', error);
      return false;
    }
  }
}

async function startPlanned(outcome: Outcome, pass: PassContext): Promise<Started> {
  return outcome.kind === 'Run' ? startJob(outcome, pass) : { kind: 'None' };
}

/** Sets up the index and the watches, and gives the reconciler to the manager. */
export function setupWithManager(manager: Manager, options: { readonly maxConcurrentReconciles?: number } = {}): void {
  manager.cache.indexField(jobs, JOB_OWNER_INDEX, (job) => {
    const owner = controllerOf(job);
    return owner?.kind === cronJobs.kind ? [owner.uid] : [];
  });
  const { client, apiReader, clock } = manager;
  controllerManagedBy(manager)
    .named('cronjob')
    .for(cronJobs, specOrMetadataChanged)
    .owns(jobs)
    .withOptions(options)
    .complete(new CronJobReconciler({ client, apiReader, clock, recorder: manager.recorderFor('cronjob-controller') }));
}
