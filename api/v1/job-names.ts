import { hash } from 'node:crypto';
import type { CronJob } from './cronjob-types.ts';
import type { CronJobRun } from './cronjobrun-types.ts';

/**
 * Returns the name of the Job for the run of `slot`. Because each slot has one Job name, a second request to create the
 * Job fails with `AlreadyExists`. The run of a slot therefore starts at most once, even after a crash.
 */
export function toSlotJobName({ metadata }: Pick<CronJob, 'metadata'>, slot: Date): string {
  return `${metadata.name}-${slot.getTime() / 1000}`;
}

/** Returns the slot in the name of a Job that the schedule has started, or `undefined` for any other Job name. */
export function parseSlotJobName({ metadata }: Pick<CronJob, 'metadata'>, jobName: string): Date | undefined {
  const prefix = `${metadata.name}-`;
  const seconds = jobName.startsWith(prefix) ? jobName.slice(prefix.length) : '';
  return /^\d{1,12}$/.test(seconds) ? new Date(Number(seconds) * 1000) : undefined;
}

/**
 * Returns the Job name up to its last dash. For a Job that the controller created, the result is the name of the
 * CronJob.
 */
export function toCronJobName(jobName: string): string {
  return jobName.slice(0, Math.max(0, jobName.lastIndexOf('-')));
}

const HASH_LENGTH = 9;
/** The maximum length of a label value, because the name of a Job is a label value of its Pods. */
const MAX_JOB_NAME_LENGTH = 63;

/**
 * Returns the Job name of a manual run. Each value of the run-now annotation has one Job name, so it starts only one
 * run.
 */
export function toManualJobName({ metadata }: Pick<CronJob, 'metadata'>, value: string): string {
  const digest = hash('sha256', `${metadata.uid}/${value}`);
  return `${metadata.name}-m${digest.slice(0, HASH_LENGTH)}`;
}

/**
 * Returns the name of the Job that a CronJobRun starts. A CronJobRun has one Job name for each slot, so it starts at
 * most one Job for the slot. The name differs from the result of {@link toSlotJobName}, because the schedule may have
 * started a run of the same slot.
 * @param slot Absent for a manual run.
 */
export function toRequestedJobName(run: Pick<CronJobRun, 'metadata' | 'spec'>, slot?: Date): string {
  const digest = hash('sha256', run.metadata.uid);
  const suffix =
    slot === undefined
      ? `-r${digest.slice(0, HASH_LENGTH)}`
      : `-b${slot.getTime() / 1000}-${digest.slice(0, SLOT_HASH_LENGTH)}`;
  const prefix = run.spec.cronJobName.slice(0, MAX_JOB_NAME_LENGTH - suffix.length).replace(/[-.]+$/, '');
  return `${prefix}${suffix}`;
}

const SLOT_HASH_LENGTH = 5;

/** Returns the slot in the name of a Job that a CronJobRun has started, or `undefined` for any other Job name. */
export function parseRequestedSlot(jobName: string): Date | undefined {
  const seconds = /-b(-?\d{1,12})-[0-9a-f]{5}$/.exec(jobName)?.[1];
  return seconds === undefined ? undefined : new Date(Number(seconds) * 1000);
}
