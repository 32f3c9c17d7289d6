/** Coordinates the controllers of CronJobs and CronJobRuns, which both start Jobs of a CronJob. */
import { type CachedReader, formatKey } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { hasActivePods, toRun } from './cronjob/job.ts';
import { jobs } from './resources.ts';

export class RequestedStarts {
  /** For the key of each CronJob with a running action: the callbacks that wake the waiting actions. */
  readonly #turns = new Map<string, (() => void)[]>();
  /** Names of the Jobs that CronJobRuns have started, by the key of the CronJob. The cache may not contain these Jobs yet. */
  readonly #jobNames: Map<string, Set<string>>;

  constructor(jobNames = new Map<string, Set<string>>()) {
    this.#jobNames = jobNames;
  }

  /**
   * Runs `action` when no other action of the same CronJob is running. If actions ran in parallel, two reconciles could each start
   * a run, and the runs would overlap in spite of the concurrency policy.
   * @param key Key of the CronJob.
   */
  async inTurn<T>(key: string, action: () => Promise<T>): Promise<T> {
    while (this.#turns.has(key)) await new Promise<void>((resolve) => this.#turns.get(key)?.push(resolve));
    this.#turns.set(key, []);
    try {
      return await action();
    } finally {
      const waiting = this.#turns.get(key) ?? [];
      this.#turns.delete(key);
      for (const resolve of waiting) resolve();
    }
  }

  /** Call this method before you create the Job, because the API server's response to the create may be lost. */
  add(key: string, jobName: string): void {
    const names = this.#jobNames.get(key) ?? new Set();
    this.#jobNames.set(key, names.add(jobName));
  }

  /** Call this method when the CronJob is gone. */
  forget(key: string): void {
    this.#jobNames.delete(key);
  }

  /** Whether CronJobRuns have started Jobs that may still be active. If false, you can skip {@link recentJobs}. */
  has(key: string): boolean {
    return this.#jobNames.has(key);
  }

  /**
   * Returns the Jobs that CronJobRuns have started and that are not in `cachedJobs`. Does not read the Jobs in `cachedJobs`: after
   * a failed change of a Job, the client reads the Job from the API server. If the read failed, the reconcile would not record the
   * results in `cachedJobs`.
   * @param cachedJobs Jobs of the CronJob in the cache.
   */
  async recentJobs(
    cronJob: Pick<CronJob, 'metadata'>,
    cachedJobs: readonly Job[],
    client: Pick<CachedReader, 'get'>,
  ): Promise<readonly Job[]> {
    const key = formatKey(cronJob.metadata);
    const names = this.#jobNames.get(key);
    if (names === undefined) return [];
    const { namespace } = cronJob.metadata;
    const recentJobs: Job[] = [];
    for (const name of names) {
      const cachedJob = cachedJobs.find(({ metadata }) => metadata.name === name);
      const job = cachedJob ?? (await client.get(jobs, { namespace, name }));
      if (job === undefined || !hasActivePods(toRun(job))) names.delete(name);
      if (job !== undefined && cachedJob === undefined) recentJobs.push(job);
    }
    if (names.size === 0) this.#jobNames.delete(key);
    return recentJobs;
  }
}
