/** The Job of one run. */
import { createHash } from 'node:crypto';
import type { JobTemplateSpec, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import {
  API_VERSION,
  INSTANTIATE_ANNOTATION,
  KIND,
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { formatInZone } from '../../api/v1/schedule.ts';
import { formatTime } from './observed.ts';

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
  const hash = createHash('sha256').update(`${metadata.uid}/${value}`).digest('hex');
  return `${metadata.name}-m${hash.slice(0, HASH_LENGTH)}`;
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
