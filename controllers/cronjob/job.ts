/** The Job of one slot. */
import type { NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import {
  API_VERSION,
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
function jobName(cronJobName: string, slot: Date): string {
  return `${cronJobName}-${slot.getTime() / 1000}`;
}

export function jobFor({ metadata, spec }: CronJob, slot: Date): NewJob {
  const { jobTemplate, timeZone } = spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(metadata.name, slot),
      namespace: metadata.namespace,
      ...(jobTemplate.metadata?.labels ? { labels: jobTemplate.metadata.labels } : {}),
      annotations: {
        ...jobTemplate.metadata?.annotations,
        [SCHEDULED_TIMESTAMP_ANNOTATION]: formatInZone(slot, timeZone),
        [SCHEDULED_AT_ANNOTATION]: formatTime(slot),
      },
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
    spec: jobTemplate.spec ?? { template: {} },
  };
}
