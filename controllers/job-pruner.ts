/** Deletes finished Jobs beyond the history limits. */
import type { Job } from '../api/kubernetes.ts';
import type { Pruned } from './cronjob/decide.ts';
import type { Housekeeping, HousekeepingOptions } from './housekeeping.ts';
import { deleteJob, type PassContext } from './job-writer.ts';

/** Limits a delete that hangs, because the next slot waits until the pass ends. */
const DELETE_TIMEOUT_MS = 5_000;

export const PRUNING: HousekeepingOptions = {
  /** Five attempts in the first hour, then four per hour. */
  backOff: { baseDelayMs: 300_000, maxDelayMs: 1_000_000 },
  /** The watch events of these deletes start the next pass. */
  maxAtOnce: 50,
  failureMessage: 'could not delete finished Job, will retry',
  reports: 'All',
};

/** Never rejects. */
export async function pruneJobs(
  key: string,
  jobs: readonly Job[],
  pruning: Housekeeping,
  context: PassContext,
): Promise<Pruned> {
  const deleted: Job[] = [];
  const { failure } = await pruning.forEach(key, jobs, context, async (job) => {
    await deleteJob(job, context, { priority: 'background', timeoutMs: DELETE_TIMEOUT_MS });
    deleted.push(job);
  });
  return { deleted, ...(failure && { failure }) };
}
