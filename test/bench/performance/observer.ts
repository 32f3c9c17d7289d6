/**
 * Two watches from outside: one on the metadata of Jobs, one on CronJobs. They take CPU from the measured process, the same for every
 * driver, so each event costs one JSON.parse and one entry in the ledger.
 */
import { type KubernetesObject, type Resource, SystemClock, type Transport } from 'controller-runtime';
import { discardLogger, Reflector } from 'controller-runtime/internal';
import { eventually } from 'controller-runtime/testing';
import { jobs } from '../../../controllers/resources.ts';
import { type JobMetadata, RunTimes } from './run-times.ts';

interface ObservedCronJob extends KubernetesObject {
  readonly status?: { readonly lastScheduleTime?: string };
}

/** A Job, at its first observation. */
export type ObservedJob = KubernetesObject & { readonly metadata: JobMetadata & { readonly namespace?: string } };

export class Observer implements AsyncDisposable {
  readonly runTimes = new RunTimes();
  /** Called with each new Job. */
  onJob: (job: ObservedJob) => void = () => {};
  #lastChangeMs = Date.now();
  #cronJobs = 0;
  readonly #liveJobs = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<void>[];

  constructor(transport: Transport, cronJobs: Resource<KubernetesObject>) {
    const shared = { transport, clock: new SystemClock(), log: discardLogger };
    const createSink = <T extends KubernetesObject>(
      plural: string,
      onChange: (object: T) => void,
      onRemove: (object: T) => void,
    ) => ({
      replace: (objects: readonly T[]) => {
        this.#listed.add(plural);
        objects.forEach(onChange);
      },
      upsert: onChange,
      remove: onRemove,
    });
    const jobReflector = new Reflector<KubernetesObject>({
      ...shared,
      resource: jobs as unknown as Resource<KubernetesObject>, // metadata only
      metadataOnly: true,
      sink: createSink(
        'jobs',
        (job) => this.#onJobChange(job as ObservedJob), // owners and annotations are metadata
        ({ metadata }) => {
          this.#liveJobs.delete(metadata.uid ?? '');
          this.#noteChange();
        },
      ),
    });
    const cronJobReflector = new Reflector<ObservedCronJob>({
      ...shared,
      resource: cronJobs as Resource<ObservedCronJob>,
      sink: createSink(
        'cronjobs',
        (cronJob) => this.#onCronJobChange(cronJob),
        () => this.#noteChange(),
      ),
    });
    this.#running = [jobReflector.run(this.#stop.signal), cronJobReflector.run(this.#stop.signal)];
  }

  /** Resolves when both watches are open. */
  async waitUntilReady(): Promise<void> {
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

  #onJobChange(job: ObservedJob): void {
    this.#noteChange();
    if (!this.runTimes.recordJob(job.metadata, this.#lastChangeMs)) return;
    this.#liveJobs.add(job.metadata.uid ?? '');
    this.onJob(job);
  }

  #onCronJobChange({ metadata, status }: ObservedCronJob): void {
    this.#noteChange();
    this.#cronJobs++;
    this.runTimes.recordStatus(metadata.uid, status?.lastScheduleTime, this.#lastChangeMs);
  }

  #noteChange(): void {
    this.#lastChangeMs = Date.now();
  }
}
