/** batch/v1: workloads that complete. */
import type { V1CronJob, V1Job, V1JobTemplateSpec } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespaced, Wire } from './wire.ts';

export interface CronJob extends StoredNamespaced<V1CronJob, 'batch/v1', 'CronJob', 'spec'> {}
export interface Job extends StoredNamespaced<V1Job, 'batch/v1', 'Job', 'spec'> {}

/** What a CronJob makes its Jobs from. */
export type JobTemplateSpec = Wire<V1JobTemplateSpec>;

export const batch = {
  v1: {
    cronJobs: namespacedResource<CronJob>('batch/v1', 'CronJob'),
    jobs: namespacedResource<Job>('batch/v1', 'Job'),
  },
} as const;
