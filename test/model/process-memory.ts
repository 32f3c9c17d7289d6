/**
 * The only access to the memory of the reconcilers between reconciles. The memory leaves here as plain data, which the model compares
 * without reading it, and returns before the next reconcile: no other part of test/model knows where the reconcilers keep it.
 *
 * Back-offs are excluded: each reconcile begins without one, so that a retry may come at any time.
 */
import type { Job } from '../../api/kubernetes.ts';
import type { PendingStatus } from '../../controllers/cronjob/pending.ts';
import type { UnstoredStatus } from '../../controllers/cronjobrun-controller.ts';
import type { FailedCreate } from '../../controllers/job-writer.ts';

/** Options of the reconcilers, by key. */
export interface ReconcilerMemory {
  readonly pendingStatuses: Map<string, PendingStatus>;
  readonly failedCreates: Map<string, readonly FailedCreate[]>;
  /** Names of the Jobs that CronJobRuns have started. */
  readonly jobNames: Map<string, Set<string>>;
  readonly unstoredStatuses: Map<string, UnstoredStatus>;
  readonly finishedJobs: Map<string, Job>;
}

/** The memory of a process; `undefined` when it has none. */
export type ProcessMemory = {
  readonly [Name in keyof ReconcilerMemory]: ReadonlyMap<
    string,
    Name extends 'jobNames' ? readonly string[] : ReconcilerMemory[Name] extends Map<string, infer T> ? T : never
  >;
};

/** Options of reconcilers with this memory. */
export function restoreMemory(memory: ProcessMemory | undefined): ReconcilerMemory {
  const jobNames = [...(memory?.jobNames ?? [])].map(([key, names]) => [key, new Set(names)] as const);
  return {
    pendingStatuses: new Map(memory?.pendingStatuses),
    failedCreates: new Map(memory?.failedCreates),
    jobNames: new Map(jobNames),
    unstoredStatuses: new Map(memory?.unstoredStatuses),
    finishedJobs: new Map(memory?.finishedJobs),
  };
}

/** @param options The options from {@link restoreMemory}, after a reconcile. */
export function saveMemory(options: ReconcilerMemory): ProcessMemory | undefined {
  if (Object.values(options).every(({ size }) => size === 0)) return undefined;
  return { ...options, jobNames: new Map([...options.jobNames].map(([key, names]) => [key, [...names].toSorted()])) };
}

/** Whether the process remembers the CronJob with this key. */
export function isRemembered(key: string, memory: ProcessMemory | undefined): boolean {
  const { pendingStatuses, failedCreates, jobNames } = memory ?? {};
  return [pendingStatuses, failedCreates, jobNames].some((map) => map?.has(key));
}
