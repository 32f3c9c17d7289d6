/** The Job of one run, of a slot or by hand: what it is made of, and what those that are there say of their runs. */
import { hash } from 'node:crypto';
import type { Job, JobTemplateSpec, NewJob } from '../../api/kubernetes.ts';
import { formatTime, parseTime, wholeSeconds } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { isRunNowSetLater } from '../../api/v1/field-edits.ts';
import {
  API_VERSION,
  GROUP,
  INSTANTIATE_ANNOTATION,
  KIND,
  RUN_NOW_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { formatInZone } from '../../api/v1/schedule.ts';

/**
 * Name of the Job that runs `slot`. One slot, one name: whoever creates it a second time is told `AlreadyExists`, so a slot
 * runs at most once whatever crashes in between.
 */
export function slotJobName({ metadata }: Pick<CronJob, 'metadata'>, slot: Date): string {
  return `${metadata.name}-${slot.getTime() / 1000}`;
}

const HASH_LENGTH = 9;

/** Name of the Job that the run-now annotation asks for with `value`. One value, one name, as long as that of a slot. */
export function runNowJobName({ metadata }: Pick<CronJob, 'metadata'>, value: string): string {
  const digest = hash('sha256', `${metadata.uid}/${value}`);
  return `${metadata.name}-m${digest.slice(0, HASH_LENGTH)}`;
}

export function slotJob(cronJob: CronJob, slot: Date): NewJob {
  return jobFrom(cronJob, slotJobName(cronJob, slot), {
    [SCHEDULED_TIMESTAMP_ANNOTATION]: formatInZone(slot, cronJob.spec.timeZone),
    [SCHEDULED_AT_ANNOTATION]: formatTime(slot),
  });
}

export function runNowJob(cronJob: CronJob, value: string): NewJob {
  return jobFrom(cronJob, runNowJobName(cronJob, value), { [INSTANTIATE_ANNOTATION]: 'manual' });
}

function jobFrom({ metadata, spec }: CronJob, name: string, annotations: Readonly<Record<string, string>>): NewJob {
  const { jobTemplate } = spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: metadata.namespace,
      ...(jobTemplate.metadata?.labels ? { labels: jobTemplate.metadata.labels } : {}),
      annotations: { ...withoutOurs(jobTemplate.metadata?.annotations), ...annotations },
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: KIND,
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: jobSpec(jobTemplate),
  };
}

/**
 * The spec of every Job of the template. Without a selector, which the API server makes for each Job: two Jobs with the template's
 * would count each other's Pods. New templates cannot have one; those that are older than that rule can.
 */
export function jobSpec({ spec }: JobTemplateSpec): NewJob['spec'] {
  const { selector: _, manualSelector: __, ...rest } = spec ?? { template: {} };
  return rest;
}

/** What these say of a Job, only we say: a template that was copied from a Job may have them. */
const OURS: readonly string[] = [SCHEDULED_AT_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION, INSTANTIATE_ANNOTATION];

function withoutOurs(annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OURS.includes(key)));
}

/** A Job as the controller sees it. */
export interface Run {
  readonly job: Job;
  /** The slot it runs. Absent on a Job that was asked for by hand, and on one that does not say. */
  readonly slot?: Date;
  readonly state: 'Active' | 'Succeeded' | 'Failed';
  /** When it completed or failed. Absent while active, and when nothing says it. */
  readonly finishedAt?: Date;
  /** Why it failed, as one word. */
  readonly failureReason?: string;
}

/**
 * UID of the CronJob that controls the Job, if one does. By UID and kind: a Job of a CronJob that was deleted and made
 * again under the same name is not the new one's.
 */
export function owningCronJob({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === KIND && owner.apiVersion.startsWith(`${GROUP}/`) ? owner.uid : undefined;
}

/** A Job is finished once a `Complete` or `Failed` condition is True; one that is being deleted is active until it is gone. */
export function runOf(job: Job): Run {
  const run = { job, ...slotOf(job) };
  const complete = trueCondition(job, 'Complete');
  if (complete) {
    return { ...run, state: 'Succeeded', ...finishedAt(job.status?.completionTime, complete.lastTransitionTime) };
  }
  const failed = trueCondition(job, 'Failed');
  if (failed) {
    return {
      ...run,
      state: 'Failed',
      ...finishedAt(failed.lastTransitionTime),
      ...(failed.reason ? { failureReason: failed.reason } : {}),
    };
  }
  return { ...run, state: 'Active' };
}

function trueCondition(job: Job, type: 'Complete' | 'Failed') {
  return job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The first of the times that can be read: whoever sets a condition may leave its time out. */
function finishedAt(...times: readonly (string | undefined)[]): { finishedAt?: Date } {
  for (const text of times) {
    const time = parseTime(text);
    if (time !== undefined) return { finishedAt: time };
  }
  return {};
}

function slotOf(job: Job): { slot?: Date } {
  const slot = parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
  return slot === undefined ? {} : { slot: wholeSeconds(slot) };
}

/** What the run-now annotation asks for. */
export type RunNow =
  | { readonly kind: 'None' }
  /** A new value that starts nothing any more; it only has to be remembered. */
  | { readonly kind: 'Settled'; readonly value: string }
  /** A new value whose run has not been started. */
  | { readonly kind: 'Due'; readonly value: string; readonly jobName: string };

/**
 * A value is settled when its Job is there, even if no status says so: a pass may have crashed in between. One that the manifest
 * brought along is settled too, so that a restored manifest starts nothing.
 * @param unstored Value that this process knows to be served, though the status could not be stored.
 */
export function runNowOf(cronJob: CronJob, runs: readonly Run[], unstored?: string): RunNow {
  const { metadata, status } = cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || isServed(value, status?.lastManualRun)) return { kind: 'None' };
  const jobName = runNowJobName(cronJob, value);
  const isBroughtAlong = status?.observedGeneration === undefined && !isRunNowSetLater(cronJob);
  const isStarted = isServed(value, unstored) || runs.some(({ job }) => job.metadata.name === jobName);
  return isBroughtAlong || isStarted ? { kind: 'Settled', value } : { kind: 'Due', value, jobName };
}

/** Longest value that is stored as it is, in characters. An annotation may have 256 KiB. */
const MAX_STORED_LENGTH = 253;

/** The value as the status keeps it: a long one as its hash. */
export function storedRunNow(value: string): string {
  if (value.length <= MAX_STORED_LENGTH) return value;
  return `sha256:${hash('sha256', value)}`;
}

/** Earlier versions stored long values in full. */
function isServed(value: string, stored: string | undefined): boolean {
  return stored !== undefined && (stored === value || stored === storedRunNow(value));
}
