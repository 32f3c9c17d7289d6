/** Reads the Jobs of a CronJob. */
import type { CachedReader, Manager } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { jobsOf, namesToLookUp } from './cronjob/facts.ts';
import { owningCronJob } from './cronjob/job.ts';
import type { PassContext } from './job-writer.ts';
import { jobs } from './resources.ts';

/** Field index of Jobs by the UID of their CronJob, to find its Jobs without scanning all. */
const JOB_OWNER_INDEX = 'controller-uid';

/** Adds the index that {@link readJobs} uses. */
export function indexJobsByOwner(cache: Pick<Manager['cache'], 'indexField'>): void {
  cache.indexField(jobs, JOB_OWNER_INDEX, (job) => {
    const owner = owningCronJob(job);
    return owner === undefined ? [] : [owner];
  });
}

/** What was found of the Jobs of a CronJob. */
export interface JobsRead {
  readonly jobs: readonly Job[];
  /** Why some of them may be missing. */
  readonly failure?: { readonly error: unknown };
}

/**
 * Jobs from the cache. Those that should exist and are not in it are read from the API server: the cache is stale, or they are gone.
 * @param uncertain Names of Jobs whose create got no answer.
 */
export async function readJobs(
  cronJob: CronJob,
  uncertain: readonly string[],
  { client, apiReader, signal }: Pick<PassContext, 'apiReader' | 'signal'> & { readonly client: CachedReader },
): Promise<JobsRead> {
  const { namespace, uid } = cronJob.metadata;
  const cached = await client.list(jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: uid }, signal });
  const answers = await Promise.allSettled(
    namesToLookUp(cronJob, uncertain, cached).map((name) =>
      apiReader.get(jobs, { namespace, name }, { signal, priority: 'urgent' }),
    ),
  );
  const found = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
  const failed = answers.find((answer) => answer.status === 'rejected');
  return {
    jobs: jobsOf(cronJob, [...cached, ...found]),
    ...(failed && { failure: { error: failed.reason } }),
  };
}
