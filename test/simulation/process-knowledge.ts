/** What a process has read, created and written. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { type PendingStatus, withPendingStatus } from '../../controllers/cronjob/pending.ts';
import { jobs } from '../../controllers/resources.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import type { DelayedCache } from './delayed-cache.ts';
import { isActive } from './facts.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

export class ProcessKnowledge {
  readonly pendingStatuses = new Map<string, PendingStatus>();
  readonly #cache: DelayedCache;
  /** The newest version of each CronJob that this process has written, by UID. */
  readonly #writtenVersions = new Map<string, number>();
  /** UIDs of Jobs that this process got from the server. */
  readonly #receivedJobs = new Set<string>();
  /** Jobs that it has created or seen in reconciles, by the reconciled object and the UID. */
  readonly #readJobs = new Set<string>();
  /** Jobs that it has seen as ended, by the same. */
  readonly #readFinishedJobs = new Set<string>();

  constructor(cache: DelayedCache) {
    this.#cache = cache;
  }

  noteReceived({ metadata }: Job): void {
    this.#receivedJobs.add(metadata.uid);
  }

  noteCreated({ objectKey }: ObservedReconcile, { metadata }: Job): void {
    this.#readJobs.add(`${objectKey} ${metadata.uid}`);
    this.#receivedJobs.add(metadata.uid);
  }

  noteWritten({ metadata }: CronJob): void {
    this.#writtenVersions.set(metadata.uid, Number(metadata.resourceVersion));
  }

  /** The reconcile has read the CronJob. */
  noteView(observed: ObservedReconcile, cronJob: CronJob): void {
    const { uid } = cronJob.metadata;
    const cached = this.#cache.informerFor(jobs).store.byIndex('controller-uid', uid);
    const remembered = this.pendingStatuses.get(formatKey(cronJob));
    const pending = remembered?.uid === uid ? remembered : undefined;
    const view = withPendingStatus(cronJob, pending);
    const activeUids = (view.status?.active ?? []).map((reference) => reference.uid ?? '');
    const knownUids = new Set([...cached.map((job) => job.metadata.uid), ...activeUids]);
    observed.view = view;
    observed.jobs.clear(); // a reconcile of a CronJobRun reads the Jobs again when it has its turn
    observed.readCronJob = cronJob;
    observed.hadPending = pending !== undefined;
    observed.isBehindOwnWrite = Number(cronJob.metadata.resourceVersion) < (this.#writtenVersions.get(uid) ?? 0);
    const { objectKey } = observed;
    observed.hasReadJob = (job) => this.#readJobs.has(`${objectKey} ${job}`);
    observed.hasReadFinishedJob = (job) => this.#readFinishedJobs.has(`${objectKey} ${job}`);
    observed.knewJob = (job) => knownUids.has(job) || this.#receivedJobs.has(job);
  }

  /** The reconcile has read the Job. */
  noteJob(observed: ObservedReconcile, job: Job): void {
    observed.jobs.set(job.metadata.uid, job);
    const id = `${observed.objectKey} ${job.metadata.uid}`;
    this.#readJobs.add(id);
    if (!isActive(job)) this.#readFinishedJobs.add(id);
  }
}
