/** The controller of the kind CronJob. */
import { batch, formatApiVersion, getControllerReference, type Job, type Manager } from 'controller-runtime';
import { CronJob } from '../api/v1/cron-job-types.ts';

/** An index of the cache: the Jobs of a CronJob, by the name of their owner. */
const JOB_OWNER_INDEX = 'job-owner';

export function addCronJobController(manager: Manager): void {
  manager.cache.indexField(batch.v1.jobs, JOB_OWNER_INDEX, listOwnerNames);
  manager
    .controller('cron-job')
    .for(CronJob)
    .owns(batch.v1.jobs, { verbs: ['create', 'delete'] })
    .reconcile(async ({ metadata: { namespace, name } }, { client, log }) => {
      const jobs = await client.list(batch.v1.jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: name } });
      log.info('reconciled the CronJob', { jobs: jobs.length });
    });
}

function listOwnerNames(job: Job): readonly string[] {
  const owner = getControllerReference(job);
  const isCronJob = owner?.kind === CronJob.kind && owner.apiVersion === formatApiVersion(CronJob);
  return isCronJob ? [owner.name] : [];
}
