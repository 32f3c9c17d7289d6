/** Coordinates the controllers of CronJobs and CronJobRuns, which both start Jobs of a CronJob. */
import { type CachedReader, formatKey } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { hasActivePods, toRun } from './cronjob/job.ts';
import { jobs } from './resources.ts';

export class RequestedStarts {
  /** The callbacks of the actions that wait until the running action ends, by the key of the CronJob. */
  readonly #turns = new Map<string, (() => void)[]>();
  /** Names of the Jobs that CronJobRuns have started and that the cache may not contain yet, by the key of the CronJob. */
  readonly #jobNames: Map<string, Set<string>>;

  /** @param jobNames Default: empty. */
  constructor(jobNames = new Map<string, Set<string>>()) {
    this.#jobNames = jobNames;
  }

  /**
   * Runs `action` while no other action of the same CronJob runs. Without this order, two reconciles could both find that a run may
   * start, and the runs would overlap in spite of the concurrency policy.
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

  /** Call this method before the Job is created, because the response of the API server may be lost. */
  add(key: string, jobName: string): void {
    const names = this.#jobNames.get(key) ?? new Set();
    this.#jobNames.set(key, names.add(jobName));
  }

  /** Whether CronJobRuns have started Jobs that may still be active. If not, {@link recentJobs} need not be called. */
  has(key: string): boolean {
    return this.#jobNames.has(key);
  }

  /**
   * Returns the Jobs that CronJobRuns have started and that are not in `cachedJobs`. Reads only these Jobs, because a read may fail:
   * after a failed change of a Job, the client reads the Job from the API server. The reconcile would then lose the results in
   * `cachedJobs`.
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
