/**
 * Two watches from outside: one on the metadata of Jobs, one on CronJobs. They take CPU from the measured process, the same for every
 * driver, so each event costs one JSON.parse and one entry in the ledger.
 */
import {
  discardLogger,
  type KubernetesObject,
  Reflector,
  type Resource,
  SystemClock,
  type Transport,
} from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { jobs } from '../../../controllers/resources.ts';
import { Ledger, type SeenJob } from './ledger.ts';

interface SeenCronJob extends KubernetesObject {
  readonly status?: { readonly lastScheduleTime?: string };
}

/** A Job, at its first observation. */
export type NewJob = KubernetesObject & { readonly metadata: SeenJob & { readonly namespace?: string } };

export class Observer implements AsyncDisposable {
  readonly ledger = new Ledger();
  /** Called with each new Job. */
  onJob: (job: NewJob) => void = () => {};
  #lastChangeMs = Date.now();
  #cronJobs = 0;
  readonly #liveJobs = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<void>[];

  constructor(transport: Transport, cronJobs: Resource<KubernetesObject>) {
    const shared = { transport, clock: new SystemClock(), log: discardLogger };
    const sinkOf = <T extends KubernetesObject>(
      plural: string,
      see: (object: T) => void,
      remove: (object: T) => void,
    ) => ({
      replace: (objects: readonly T[]) => {
        this.#listed.add(plural);
        objects.forEach(see);
      },
      upsert: see,
      remove,
    });
    const jobReflector = new Reflector<KubernetesObject>({
      ...shared,
      resource: jobs as unknown as Resource<KubernetesObject>, // metadata only
      metadataOnly: true,
      sink: sinkOf(
        'jobs',
        (job) => this.#seeJob(job as NewJob), // owners and annotations are metadata
        ({ metadata }) => {
          this.#liveJobs.delete(metadata.uid ?? '');
          this.#changed();
        },
      ),
    });
    const cronJobReflector = new Reflector<SeenCronJob>({
      ...shared,
      resource: cronJobs as Resource<SeenCronJob>,
      sink: sinkOf(
        'cronjobs',
        (cronJob) => this.#seeCronJob(cronJob),
        () => this.#changed(),
      ),
    });
    this.#running = [jobReflector.run(this.#stop.signal), cronJobReflector.run(this.#stop.signal)];
  }

  /** Resolves when both watches are open. */
  async ready(): Promise<void> {
    await eventually(() => {
      if (this.#listed.size < 2) throw new Error('the watches of the benchmark are not open');
    });
  }

  /** Time since the last change of a CronJob or a Job, in milliseconds. */
  get quietMs(): number {
    return Date.now() - this.#lastChangeMs;
  }

  /** Changes of CronJobs seen so far, including their creation. */
  get cronJobChanges(): number {
    return this.#cronJobs;
  }

  /** Number of existing Jobs. */
  get liveJobs(): number {
    return this.#liveJobs.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #seeJob(job: NewJob): void {
    this.#changed();
    if (!this.ledger.job(job.metadata, this.#lastChangeMs)) return;
    this.#liveJobs.add(job.metadata.uid ?? '');
    this.onJob(job);
  }

  #seeCronJob({ metadata, status }: SeenCronJob): void {
    this.#changed();
    this.#cronJobs++;
    this.ledger.status(metadata.uid, status?.lastScheduleTime, this.#lastChangeMs);
  }

  #changed(): void {
    this.#lastChangeMs = Date.now();
  }
}
