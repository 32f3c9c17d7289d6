/**
 * What the cache keeps of CronJobs and Jobs. An object of 1 MiB can take 20 MiB when it is parsed, as three bytes of `{},` become
 * an object of fifty; and everybody who may create one in some namespace would take memory that all namespaces share.
 */
import type { Job, JobTemplateSpec } from '../api/kubernetes.ts';
import { completeCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { keepEdits } from '../api/v1/field-edits.ts';
import { owningCronJob } from './cronjob/job.ts';

/** Longer templates are kept as text. Few are: a container with a dozen variables and mounts has some 2,000 characters. */
const MAX_PARSED_TEMPLATE = 4_096;

/** The CronJob without what no pass reads, and a long template parsed each time that it is read, which is when a Job is made. */
export function keepOfCronJob(cronJob: CronJob): CronJob {
  const kept = keepEdits(completeCronJob(cronJob));
  const text = JSON.stringify(kept.spec.jobTemplate);
  if (text.length <= MAX_PARSED_TEMPLATE) return kept;
  const { jobTemplate: _, ...spec } = kept.spec;
  return {
    ...kept,
    spec: {
      ...spec,
      get jobTemplate(): JobTemplateSpec {
        return JSON.parse(text);
      },
    },
  };
}

/** Of a Job its metadata and its status, which is all that passes read of it; of one that no CronJob controls no more than what it is called. */
export function keepOfJob(job: Job): Job {
  const { apiVersion, kind, metadata, status } = job;
  const { managedFields: _, ...kept } = metadata;
  // Nobody reads the spec of a Job from the cache.
  const spec = NO_SPEC as Job['spec'];
  if (owningCronJob(job) !== undefined) return { apiVersion, kind, metadata: kept, spec, ...(status && { status }) };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp }, spec };
}

const NO_SPEC: Partial<Job['spec']> = {};
