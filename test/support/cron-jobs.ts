/** Builders whose arguments are only the values that a test is about. */
import type { NewObject } from 'controller-runtime';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';

/** A time of the day on which the tests begin, in the API's format; all builders begin there. */
export function at(time: string): string {
  return `2026-01-01T${time}Z`;
}

/** Name of the Job of {@link cronJob}'s CronJob for the slot at this time of that day. */
export function jobNameAt(time: string): string {
  return `hello-${Date.parse(at(time)) / 1000}`;
}

const CRON_JOB_UID = '0b9f0e1a-0000-4000-8000-000000000001';

/** A CronJob as the API server returns it, created at the epoch of the tests, with all defaults. */
export function cronJob(
  spec: Partial<CronJobSpec> = {},
  status?: CronJobStatus,
  metadata: Partial<CronJob['metadata']> = {},
): CronJob {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name: 'hello',
      namespace: 'default',
      uid: CRON_JOB_UID,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: at('00:00:00'),
      ...metadata,
    },
    spec: {
      schedule: '0 * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } } },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** A CronJob to create, with that schedule and otherwise usual values. */
export function newCronJob(namespace: string, name: string, schedule: string): NewObject<CronJob> {
  const { apiVersion, kind, spec } = cronJob({ schedule });
  return { apiVersion, kind, metadata: { namespace, name }, spec };
}

export interface JobOptions {
  readonly state?: 'Active' | 'Complete' | 'Failed';
  /** RFC 3339. Default: its slot. */
  readonly startTime?: string;
  /** RFC 3339; the end of a finished Job. Default: its slot. */
  readonly endTime?: string;
  readonly isBeingDeleted?: boolean;
  readonly ownerUid?: string;
}

/** The Job of `slot` (RFC 3339), owned by {@link cronJob}'s CronJob. Default: active. */
export function buildJob(slot: string, options: JobOptions = {}): Job {
  const { state = 'Active', startTime = slot, endTime = slot, ownerUid = CRON_JOB_UID } = options;
  const name = `hello-${new Date(slot).getTime() / 1000}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: slot,
      annotations: { [SCHEDULED_AT_ANNOTATION]: formatTime(new Date(slot)) },
      ownerReferences: [{ apiVersion: API_VERSION, kind: KIND, name: 'hello', uid: ownerUid, controller: true }],
      ...(options.isBeingDeleted ? { deletionTimestamp: slot } : {}),
    },
    spec: { template: {} },
    status: {
      startTime,
      ...(state === 'Complete' ? { completionTime: endTime } : {}),
      ...(state === 'Active'
        ? {}
        : { conditions: [{ type: state, status: 'True', lastTransitionTime: endTime, reason: `Because${state}` }] }),
    },
  };
}
