/** Reads the Jobs of a CronJob. */
import type { CachedReader, Manager } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import { getMaxConcurrentRuns } from '../api/v1/concurrency.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { assumeActiveJob, listJobNamesToLookUp, selectJobs } from './cronjob/facts.ts';
import { getControllingCronJobUid } from './cronjob/job.ts';
import type { CallContext } from './job-writer.ts';
import { jobs } from './resources.ts';

/** Field index of Jobs by the UID of their CronJob, so that a reconcile need not scan all Jobs. */
const JOB_OWNER_INDEX = 'controller-uid';

export function indexJobsByOwner(cache: Pick<Manager['cache'], 'indexField'>): void {
  cache.indexField(jobs, JOB_OWNER_INDEX, (job) => {
    const owner = getControllingCronJobUid(job);
    return owner === undefined ? [] : [owner];
  });
}

/** Returns the Jobs of a CronJob in the cache. */
async function listJobs(
  { metadata: { namespace, uid } }: Pick<CronJob, 'metadata'>,
  { client, signal }: { readonly client: CachedReader; readonly signal: AbortSignal },
): Promise<readonly Job[]> {
  return await client.list(jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: uid }, signal });
}

export interface JobReadResult {
  readonly jobs: readonly Job[];
  /** Set if a Job could not be read. The Job counts as active. */
  readonly failure?: { readonly error: unknown };
}

/**
 * Reads the Jobs of a CronJob from the cache. If a Job should exist but is not in the cache, reads it from the API server.
 * @param uncertainJobNames Names of the Jobs whose create request got no response.
 * @throws If a Job that should exist cannot be read, because a reconcile must know whether the Job exists.
 */
export async function readJobs(
  cronJob: CronJob,
  uncertainJobNames: readonly string[],
  { client, apiReader, signal }: Pick<CallContext, 'apiReader' | 'signal'> & { readonly client: CachedReader },
): Promise<JobReadResult> {
  const { namespace } = cronJob.metadata;
  const cachedJobs = await listJobs(cronJob, { client, signal });
  let failure: JobReadResult['failure'];
  const lookUp = async (name: string) => {
    try {
      const job = await apiReader.get(jobs, { namespace, name }, { signal, priority: 'urgent' });
      return job && withoutEndWhileTerminating(cronJob, job);
    } catch (error) {
      failure = { error };
      const assumed = assumeActiveJob(cronJob, name);
      if (assumed === undefined) throw error;
      return assumed;
    }
  };
  const jobsFromServer = await Promise.all(listJobNamesToLookUp(cronJob, uncertainJobNames, cachedJobs).map(lookUp));
  return { jobs: selectJobs(cronJob, [...cachedJobs, ...jobsFromServer]), ...(failure && { failure }) };
}

/**
 * Returns a finished Job as active while its Pods terminate, if terminating Pods count towards the concurrency limit.
 * The status then lists the Job as active, so that the next reconcile reads the Job again.
 */
function withoutEndWhileTerminating({ spec }: Pick<CronJob, 'spec'>, job: Job): Job {
  if (getMaxConcurrentRuns(spec) === undefined || (job.status?.terminating ?? 0) === 0) return job;
  const { conditions: _, completionTime: __, ...status } = job.status ?? {};
  return { ...job, status };
}
