/** batch/v1 CronJobs and their Jobs, as the API server returns them. */
import type { Job } from 'controller-runtime/kubernetes';
import type { SourceCronJob } from '../source-cron-job.ts';

const UID = '0a4b0001-0000-4000-8000-000000000000';

export function createSource(spec: object = {}, metadata: object = {}, status: object = {}): SourceCronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      ...{ name: 'nightly', namespace: 'default', uid: UID, resourceVersion: '1' },
      ...{ creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    },
    spec: {
      ...{ schedule: '* * * * *', concurrencyPolicy: 'Allow' },
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'work' }] } } } },
      ...spec,
    },
    status,
  };
}

/** A Job that the source controls. */
export function createJob(
  name: string,
  creationTime: string,
  overrides: { readonly annotations?: object; readonly status?: object } = {},
): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...{ name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '1', creationTimestamp: creationTime },
      annotations: { ...overrides.annotations },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: UID, controller: true }],
    },
    spec: { template: {} },
    ...(overrides.status && { status: overrides.status }),
  };
}
