/** Names of the Jobs of a CronJob: each run has one name, so that it cannot start twice. */
import { hash } from 'node:crypto';
import type { CronJob } from './cronjob-types.ts';

/**
 * Name of the Job that runs `slot`. Each slot has one name, and a second create fails with `AlreadyExists`. So a slot runs at most
 * once, even after a crash.
 */
export function slotJobName({ metadata }: Pick<CronJob, 'metadata'>, slot: Date): string {
  return `${metadata.name}-${slot.getTime() / 1000}`;
}

/** The slot of the Job with this name; `undefined` when the name is not the name of a slot's Job. */
export function slotFromJobName({ metadata }: Pick<CronJob, 'metadata'>, jobName: string): Date | undefined {
  const prefix = `${metadata.name}-`;
  const seconds = jobName.startsWith(prefix) ? jobName.slice(prefix.length) : '';
  return /^\d{1,12}$/.test(seconds) ? new Date(Number(seconds) * 1000) : undefined;
}

/** The name of the CronJob that named the Job; for any other Job, a prefix of its name. */
export function cronJobNameFromJobName(jobName: string): string {
  return jobName.slice(0, Math.max(0, jobName.lastIndexOf('-')));
}

const HASH_LENGTH = 9;

/** Name of the Job of a manual run. Each value of the run-now annotation has one name, with the length of a slot's Job name. */
export function runNowJobName({ metadata }: Pick<CronJob, 'metadata'>, value: string): string {
  const digest = hash('sha256', `${metadata.uid}/${value}`);
  return `${metadata.name}-m${digest.slice(0, HASH_LENGTH)}`;
}
