/** The Jobs of a CronJob: how they appear in its status, which are too old, and how a run creates one. */
import { type Job, setControllerReference } from 'controller-runtime';
import type { CronJob } from '../api/v1/cron-job-types.ts';

/** The annotation of a Job with its scheduled time, in RFC 3339. */
export const SCHEDULED_AT = 'batch.example.com/scheduled-at';

const JOB = { apiVersion: 'batch/v1', kind: 'Job' };

export interface JobGroups {
  readonly active: readonly Job[];
  readonly successful: readonly Job[];
  readonly failed: readonly Job[];
}

export function groupJobs(jobs: readonly Job[]): JobGroups {
  return {
    active: jobs.filter((job) => !hasCondition(job, 'Complete') && !hasCondition(job, 'Failed')),
    successful: jobs.filter((job) => hasCondition(job, 'Complete')),
    failed: jobs.filter((job) => hasCondition(job, 'Failed')),
  };
}

function hasCondition(job: Job, type: 'Complete' | 'Failed'): boolean {
  return job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

export function buildStatus({ active, successful, failed }: JobGroups): NonNullable<CronJob['status']> {
  const times = [...active, ...successful, ...failed].flatMap((job) => job.metadata.annotations?.[SCHEDULED_AT] ?? []);
  const references = active.map(({ metadata: { namespace, name } }) => ({ ...JOB, namespace, name }));
  return { active: references, lastScheduleTime: times.toSorted().at(-1) };
}

/** Returns the finished Jobs beyond the limit, oldest first. Without a limit, all Jobs remain. */
export function listOldJobs(finished: readonly Job[], limit: number | undefined): readonly Job[] {
  const oldestFirst = finished.toSorted((a, b) => getStart(a).localeCompare(getStart(b)));
  return limit === undefined ? [] : oldestFirst.slice(0, Math.max(0, finished.length - limit));
}

const getStart = ({ status }: Job) => status?.startTime ?? '';

/** The name contains the scheduled time, so that no time can have two Jobs. */
export function buildJob(cronJob: CronJob, scheduledTime: Date) {
  const { metadata, spec = { template: {} } } = cronJob.spec.jobTemplate;
  return setControllerReference(cronJob, {
    metadata: {
      namespace: cronJob.metadata.namespace,
      name: `${cronJob.metadata.name}-${scheduledTime.getTime() / 1000}`,
      labels: metadata?.labels,
      annotations: { ...metadata?.annotations, [SCHEDULED_AT]: scheduledTime.toISOString() },
    },
    spec,
  });
}
