/**
 * What the cache keeps of CronJobs and Jobs. A parsed object can take twenty times its size, because three bytes `{},` become an object
 * of fifty. Whoever may create one in any namespace would take memory that all namespaces share.
 */
import type { Job, JobTemplateSpec } from '../api/kubernetes.ts';
import { completeCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { keepEdits } from '../api/v1/field-edits.ts';
import { owningCronJob } from './cronjob/job.ts';

/** Longer templates are kept as text. Few are longer: a container with a dozen variables and mounts has some 2,000 characters. */
const MAX_PARSED_TEMPLATE = 4_096;

/** The CronJob without fields that no pass reads. A long template is kept as text and parsed when it is read, to create a Job. */
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

/** The metadata and status of a Job, which is all that a pass reads; only the names of a Job that no CronJob controls. */
export function keepOfJob(job: Job): Job {
  const { apiVersion, kind, metadata, status } = job;
  const { managedFields: _, ...kept } = metadata;
  // No code reads the spec of a Job from the cache.
  const spec = NO_SPEC as Job['spec'];
  if (owningCronJob(job) !== undefined) return { apiVersion, kind, metadata: kept, spec, ...(status && { status }) };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp }, spec };
}

const NO_SPEC: Partial<Job['spec']> = {};
