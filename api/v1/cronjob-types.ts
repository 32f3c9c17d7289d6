/**
 * The CronJob resource: zod schemas, and the types made from them.
 *
 * The descriptions are API documentation: `make manifests` copies them into the CRD, where `kubectl explain` reads them.
 */
import { z } from 'zod';
import type { JobTemplateSpec, ObjectMeta, Wire } from '../kubernetes.ts';
import {
  CONCURRENCY_POLICIES,
  DEFAULT_CONCURRENCY_POLICY,
  DEFAULT_FAILED_JOBS_HISTORY_LIMIT,
  DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT,
  DEFAULT_SUSPEND,
  FAILED_START_REASONS,
  MAX_SCHEDULE_LENGTH,
  MAX_TIME_ZONE_LENGTH,
} from './cronjob-defaults.ts';
import type { API_VERSION, KIND } from './groupversion.ts';

/** `metav1.Time` on the wire: RFC 3339 with any offset. */
const time = () => z.iso.datetime({ offset: true });
const int32 = () => z.int().meta({ format: 'int32' });
const int64 = () => z.int().meta({ format: 'int64' });

/** `.meta()` key that tells the CRD generator to put the API server's own schema of that name here. */
export const KUBERNETES_SCHEMA_META = 'kubernetesSchema';

export const cronJobSpecSchema = z.object({
  schedule: z
    .string()
    .min(1)
    .max(MAX_SCHEDULE_LENGTH)
    .describe(
      'When to run, in cron format: minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, ' +
        '@monthly, @yearly, or "@every <duration>". See https://en.wikipedia.org/wiki/Cron.',
    ),
  timeZone: z
    .string()
    .min(1)
    .max(MAX_TIME_ZONE_LENGTH)
    .optional()
    .describe(
      'IANA name of the time zone the schedule is read in, for example Europe/Berlin. UTC when not set; never the zone ' +
        'of the controller.',
    ),
  startingDeadlineSeconds: int64()
    .min(0)
    .optional()
    .describe(
      'How many seconds late a run may still start when its time was missed for any reason. Runs later than this are ' +
        'skipped. No limit when not set; 0 starts nothing.',
    ),
  concurrencyPolicy: z
    .enum(CONCURRENCY_POLICIES)
    .default(DEFAULT_CONCURRENCY_POLICY)
    .describe(
      'What to do when a run is due while an earlier one is active: Allow starts it beside the other, Forbid waits for ' +
        'the other to end, Replace deletes the other and starts it.',
    ),
  suspend: z
    .boolean()
    .default(DEFAULT_SUSPEND)
    .describe('Starts no new runs while true. Runs that have started are left alone.'),
  jobTemplate: z
    .custom<JobTemplateSpec>()
    .meta({ [KUBERNETES_SCHEMA_META]: 'JobTemplateSpec' })
    .describe('The Job that each run creates.'),
  successfulJobsHistoryLimit: int32()
    .min(0)
    .default(DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT)
    .describe('How many successful finished Jobs to keep. 0 keeps none.'),
  failedJobsHistoryLimit: int32()
    .min(0)
    .default(DEFAULT_FAILED_JOBS_HISTORY_LIMIT)
    .describe('How many failed finished Jobs to keep. 0 keeps none.'),
});

/** Results a run can have; `Unknown` when its Job vanished before its result was seen. */
const RUN_RESULTS = ['Running', 'Succeeded', 'Failed', 'Unknown'] as const;

const lastRunSchema = z
  .object({
    jobName: z.string().describe('Name of the Job.'),
    scheduledTime: time().optional().describe('When the run was due. Not set for a run that was asked for by hand.'),
    startTime: time().optional().describe('When the Job started.'),
    completionTime: time().optional().describe('When the Job finished.'),
    result: z.enum(RUN_RESULTS).describe('How the run stands.'),
    reason: z.string().optional().describe('Why the result is what it is, in one word.'),
  })
  .describe('The newest run.');

const effectiveScheduleSchema = z
  .object({
    schedule: z.string().describe('The schedule that is in force.'),
    timeZone: z.string().describe('The time zone that is in force.'),
    since: time().describe('Since when. Times before this are never run.'),
  })
  .describe('The schedule in force and since when, so that an edit never starts a run by itself.');

const failedStartSchema = z
  .object({
    jobName: z.string().describe('Name of the Job that could not be created, or of the one that could not be deleted.'),
    reason: z
      .enum(FAILED_START_REASONS)
      .describe(
        'Refused: the API server refused the Job. JobNameTaken: a Job of that name belongs to something else. ' +
          'DeleteFailed: a Job that is to be replaced could not be deleted.',
      ),
    message: z.string().optional().describe('What the API server answered.'),
  })
  .describe('What the Degraded condition says with the reason FailedCreate: why a run could not be started.');

/** Patterns of `metav1.Condition`. */
const CONDITION_TYPE =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const CONDITION_REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

const conditionSchema = z.object({
  type: z.string().max(316).regex(CONDITION_TYPE).describe('Available, Progressing or Degraded.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  observedGeneration: int64().min(0).optional().describe('metadata.generation that the condition was set from.'),
  lastTransitionTime: time().describe('When status last changed.'),
  reason: z.string().min(1).max(1024).regex(CONDITION_REASON).describe('Why, as one CamelCase word.'),
  message: z.string().max(32768).describe('Why, for people. May be empty.'),
});

const objectReferenceSchema = z
  .object({
    apiVersion: z.string().optional().describe('API version of the object.'),
    kind: z.string().optional().describe('Kind of the object.'),
    namespace: z.string().optional().describe('Namespace of the object.'),
    name: z.string().optional().describe('Name of the object.'),
    uid: z.string().optional().describe('UID of the object.'),
    resourceVersion: z.string().optional().describe('Version of the object the reference was made from.'),
    fieldPath: z.string().optional().describe('Part of the object that is meant.'),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

export const cronJobStatusSchema = z.object({
  active: z
    .array(objectReferenceSchema)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('The Jobs that are running.'),
  activeCount: int32().min(0).optional().describe('How many Jobs are running.'),
  lastScheduleTime: time().optional().describe('Due time of the newest run that was started.'),
  lastSuccessfulTime: time().optional().describe('When the newest successful run finished.'),
  lastFailureTime: time().optional().describe('When the newest failed run failed.'),
  nextScheduleTime: time()
    .optional()
    .describe('When the next run is due. Not set while suspended or when there is none.'),
  lastRun: lastRunSchema.optional(),
  failedStart: failedStartSchema.optional(),
  effectiveSchedule: effectiveScheduleSchema.optional(),
  handledThrough: time()
    .optional()
    .describe('Times up to this one are settled, whether they were run, skipped or given up.'),
  lastManualRun: z
    .string()
    .optional()
    .describe('Value of the run-now annotation that was served last; of a long one, its SHA-256.'),
  reported: z
    .array(z.string())
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('Keys of what events have told of and what still holds, so that each is told once. For the controller.'),
  observedGeneration: int64().min(0).optional().describe('metadata.generation that the status was computed from.'),
  conditions: z
    .array(conditionSchema)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional()
    .describe('Available, Progressing and Degraded.'),
});

export type CronJobSpec = Wire<z.output<typeof cronJobSpecSchema>>;
export type CronJobStatus = Wire<z.output<typeof cronJobStatusSchema>>;
export type Condition = Wire<z.output<typeof conditionSchema>>;
export type FailedStart = Wire<z.output<typeof failedStartSchema>>;
export type LastRun = Wire<z.output<typeof lastRunSchema>>;
export type ObjectReference = Wire<z.output<typeof objectReferenceSchema>>;

/** A stored CronJob. The API server has applied the defaults, so the spec has them all. */
export interface CronJob {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
  /** Absent until the first pass has written it. */
  readonly status?: CronJobStatus;
}
