/** The status that this operator writes after it has started a Job, as the body of the request. */
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { conclude } from '../../../controllers/cronjob/conclude.ts';
import { decide } from '../../../controllers/cronjob/decide.ts';
import { assess } from '../../../controllers/cronjob/facts.ts';
import { slotJob } from '../../../controllers/cronjob/new-job.ts';

const JOB_UID = '00000000-0000-4000-8000-000000000000';

export function statusAfterRun(cronJob: CronJob, due: Date): object {
  const facts = assess({ cronJob, jobs: [] }, due);
  const job = slotJob(cronJob, due);
  const created = { ...job, metadata: { ...job.metadata, uid: JOB_UID } } as unknown as Job; // as the API server answers
  const status: CronJobStatus = conclude(facts, decide(facts), {
    started: { kind: 'Created', job: created },
    replaced: [],
  }).status;
  const { apiVersion, kind, metadata } = cronJob;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, status };
}
