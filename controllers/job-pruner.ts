/** Deletes finished Jobs beyond the history limits. */
import type { Reader } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import { REQUESTED_BY_ANNOTATION } from '../api/v1/groupversion.ts';
import type { PruningResult } from './cronjob/decide.ts';
import { hasCountedJob, isJobOf } from './cronjobrun/facts.ts';
import type { Housekeeping, HousekeepingOptions } from './housekeeping.ts';
import { type CallContext, deleteJob } from './job-writer.ts';
import { cronJobRuns } from './resources.ts';

/** Limits the duration of a delete that hangs, because the run of the next slot waits until the reconcile ends. */
const DELETE_TIMEOUT_MS = 5_000;

export const PRUNING_OPTIONS: HousekeepingOptions = {
  /** This back-off allows five attempts in the first hour, and then four per hour. */
  backOff: { baseDelayMs: 300_000, maxDelayMs: 1_000_000 },
  /** The watch events of the deleted Jobs start the next reconcile, which deletes more Jobs. */
  maxAtOnce: 50,
  failureMessage: 'could not delete finished Job, will retry',
  reports: 'All',
};

interface PruningContext extends CallContext {
  readonly cache: Pick<Reader, 'get'>;
}

/** Never rejects. */
export async function pruneJobs(
  key: string,
  jobs: readonly Job[],
  pruning: Housekeeping,
  context: PruningContext,
): Promise<PruningResult> {
  const deleted: Job[] = [];
  const { failure } = await pruning.forEach(key, jobs, context, async (job) => {
    if (!(await isDeletable(job, context))) return;
    await deleteJob(job, context, { priority: 'background', timeoutMs: DELETE_TIMEOUT_MS });
    deleted.push(job);
  });
  return { deleted, ...(failure && { failure }) };
}

/** Whether no CronJobRun needs the Job any more. The next change of the status of a CronJobRun starts another reconcile. */
async function isDeletable(job: Job, { cache }: PruningContext): Promise<boolean> {
  const { namespace, annotations } = job.metadata;
  const name = annotations?.[REQUESTED_BY_ANNOTATION];
  const run = name === undefined ? undefined : await cache.get(cronJobRuns, { namespace, name });
  return run === undefined || !isJobOf(run, job) || hasCountedJob(run, job);
}
