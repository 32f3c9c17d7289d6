/** The kind CronJob. `npm run manifests` generates its CRD. */
import {
  defineKind,
  int32,
  int64,
  type JobTemplateSpec,
  kubernetesSchema,
  type ObjectOf,
  objectReference,
  time,
} from 'controller-runtime';
import { z } from 'zod';

export const CronJob = defineKind({
  group: 'batch.example.com',
  version: 'v1',
  kind: 'CronJob',
  description: 'Runs a Job at each time of a schedule.',
  spec: z.object({
    schedule: z.string().min(1).max(253).describe('When to run, in cron format, for example "0 * * * *".'),
    startingDeadlineSeconds: int64().min(0).optional().describe('How late a run may start. Default: no limit.'),
    concurrencyPolicy: z
      .enum(['Allow', 'Forbid', 'Replace'])
      .optional()
      .describe('What to do at a scheduled time while a run is active. Default: Allow.'),
    suspend: z.boolean().optional().describe('Whether no run starts. Default: false.'),
    jobTemplate: kubernetesSchema<JobTemplateSpec>('io.k8s.api.batch.v1.JobTemplateSpec').describe(
      'The Job that each run creates.',
    ),
    successfulJobsHistoryLimit: int32().min(0).optional().describe('How many successful Jobs remain. Default: 3.'),
    failedJobsHistoryLimit: int32().min(0).optional().describe('How many failed Jobs remain. Default: 1.'),
  }),
  status: z.object({
    active: z.array(objectReference()).max(1000).optional().describe('The Jobs that have not finished.'),
    lastScheduleTime: time().optional().describe('The scheduled time of the newest run.'),
  }),
  printerColumns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Last schedule', type: 'date', jsonPath: '.status.lastScheduleTime' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type CronJob = ObjectOf<typeof CronJob>;
