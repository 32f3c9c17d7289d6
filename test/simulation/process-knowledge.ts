/** What a process has read, created and written. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { type PendingStatus, withPendingStatus } from '../../controllers/cronjob/pending.ts';
import { jobs } from '../../controllers/resources.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import type { DelayedCache } from './delayed-cache.ts';
import { isActive } from './facts.ts';
import type { ObservedPass } from './observed-pass.ts';

export class ProcessKnowledge {
  readonly pendingStatuses = new Map<string, PendingStatus>();
  readonly #cache: DelayedCache;
  /** The newest version of each CronJob that this process has written, by UID. */
  readonly #writtenVersions = new Map<string, number>();
  /** UIDs of Jobs that this process got from the server. */
  readonly #receivedJobs = new Set<string>();
  /** Jobs that it has created or seen in passes, by the reconciled object and the UID. */
  readonly #readJobs = new Set<string>();
  /** Jobs that it has seen as ended, by the same. */
  readonly #readFinishedJobs = new Set<string>();

  constructor(cache: DelayedCache) {
    this.#cache = cache;
  }

  noteReceived({ metadata }: Job): void {
    this.#receivedJobs.add(metadata.uid);
  }

  noteCreated({ objectKey }: ObservedPass, { metadata }: Job): void {
    this.#readJobs.add(`${objectKey} ${metadata.uid}`);
    this.#receivedJobs.add(metadata.uid);
  }

  noteWritten({ metadata }: CronJob): void {
    this.#writtenVersions.set(metadata.uid, Number(metadata.resourceVersion));
  }

  /** The pass has read the CronJob. */
  noteView(pass: ObservedPass, cronJob: CronJob): void {
    const { uid } = cronJob.metadata;
    const cached = this.#cache.informerFor(jobs).store.byIndex('controller-uid', uid);
    const remembered = this.pendingStatuses.get(formatKey(cronJob));
    const pending = remembered?.uid === uid ? remembered : undefined;
    const view = withPendingStatus(cronJob, pending);
    const activeUids = (view.status?.active ?? []).map((reference) => reference.uid ?? '');
    const knownUids = new Set([...cached.map((job) => job.metadata.uid), ...activeUids]);
    pass.view = view;
    pass.jobs.clear(); // a pass over a CronJobRun reads the Jobs again when it has its turn
    pass.readCronJob = cronJob;
    pass.hadPending = pending !== undefined;
    pass.isBehindOwnWrite = Number(cronJob.metadata.resourceVersion) < (this.#writtenVersions.get(uid) ?? 0);
    const { objectKey } = pass;
    pass.hasReadJob = (job) => this.#readJobs.has(`${objectKey} ${job}`);
    pass.hasReadFinishedJob = (job) => this.#readFinishedJobs.has(`${objectKey} ${job}`);
    pass.knewJob = (job) => knownUids.has(job) || this.#receivedJobs.has(job);
  }

  /** The pass has read the Job. */
  noteJob(pass: ObservedPass, job: Job): void {
    pass.jobs.set(job.metadata.uid, job);
    const id = `${pass.objectKey} ${job.metadata.uid}`;
    this.#readJobs.add(id);
    if (!isActive(job)) this.#readFinishedJobs.add(id);
  }
}
