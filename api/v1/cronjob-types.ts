/**
 * The zod schemas of a CronJob. `make manifests` copies the descriptions of the fields into the CRD, for `kubectl
 * explain`.
 */
import type { NamespacedObjectMeta } from 'controller-runtime/kubernetes';
import {
  apiRule,
  type condition,
  defineKind,
  int32,
  int64,
  kubernetesSchema,
  type ReadonlyDeep,
  time,
  type VersionedKind,
} from 'controller-runtime/schema';
import { z } from 'zod';
import type { JobTemplateSpec } from '../kubernetes.ts';
import { parseTime } from '../time.ts';
import {
  CATCH_UP_POLICIES,
  CONCURRENCY_POLICIES,
  DEFAULT_CATCH_UP_LIMIT,
  DEFAULT_CONCURRENCY_POLICY,
  DEFAULT_FAILED_JOBS_HISTORY_LIMIT,
  DEFAULT_RECENT_RUNS_LIMIT,
  DEFAULT_REQUESTED_RUNS_HISTORY_LIMIT,
  DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT,
  DEFAULT_SUSPEND,
  MAX_JITTER_SECONDS,
  MAX_NAME_LENGTH,
  MAX_POLICY_LIMIT,
  MAX_RECENT_RUNS_LIMIT,
  MAX_SCHEDULE_LENGTH,
  MAX_TIME_ZONE_LENGTH,
  RUN_CONTEXTS,
  RUN_OVERRIDES,
} from './cronjob-defaults.ts';
import { cronJobStatusSchema } from './cronjob-status.ts';
import {
  type API_VERSION,
  GROUP,
  KIND,
  PLURAL,
  RESUME_ANNOTATION,
  SHORT_NAME,
  SINGULAR,
  VERSION,
} from './groupversion.ts';
import { parseSchedule, type ScheduleOptions } from './schedule.ts';
import { findTemplateFaults } from './template-faults.ts';
import { daylightSavingSchema, excludeSchema, schedulesSchema, WINDOW_RULE } from './timetable-fields.ts';

/** The name of the schema of a Job template in the OpenAPI document of the API server. */
export const JOB_TEMPLATE_SPEC = 'io.k8s.api.batch.v1.JobTemplateSpec';

const SCHEDULE_FIX = 'give a schedule in cron format, such as "0 * * * *"';
const TIME_ZONE_FIX = 'use an IANA name such as Europe/Berlin';
const TIME_FIX = 'give a time such as 2026-01-02T15:04:05Z';
const TIME_TYPE_ERROR = { error: `must be of type date-time; ${TIME_FIX}` };
/** The length of a time with nanoseconds and an offset. RFC 3339 does not limit the digits of a second. */
const MAX_TIME_LENGTH = '2026-01-02T15:04:05.123456789+00:00'.length;

/** Returns the error for a missing value or a value of the wrong type. */
const createTypeError = (type: string, fix: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? fix : `must be of type ${type}; ${fix}`),
});

/** Returns the error for a string that is too long. With `abort`, zod reports no other error for the string. */
const createLengthError = (max: number, fix: string) => ({
  abort: true,
  error: `may not be more than ${max} characters; ${fix}`,
});

/** Returns the error for an invalid schedule, or `undefined` for a valid schedule. */
function findScheduleError(text: string, options?: ScheduleOptions): string | undefined {
  const parsed = parseSchedule(text, options);
  // The caller adds the field and the value to the error.
  return parsed.kind === 'ok' ? undefined : parsed.message.replace(/^[\w.]+: "(?:[^"\\]|\\.)*": /, '');
}

/**
 * Checks the time zone together with a valid schedule, so that the invalid schedule of a CronJob does not hide its invalid time
 * zone.
 */
function findTimeZoneError(timeZone: string): string | undefined {
  return findScheduleError('* * * * *', { timeZone });
}

/** Returns arguments for zod's `refine`. zod then accepts a string if `findError` returns `undefined`. */
const refineWith = (findError: (text: string) => string | undefined) =>
  [
    (text: string) => findError(text) === undefined,
    { error: ({ input }: { input?: unknown }) => findError(String(input)) },
  ] as const;

/**
 * Rejects a selector in a Job template, as batch/v1 does. If all Jobs had the same selector, each Job would count the Pods of the
 * other Jobs.
 */
const selectorRules = {
  selector: apiRule(z.unknown(), {
    rule: 'oldSelf.hasValue() && oldSelf.value() == self',
    optionalOldSelf: true,
    message: '`selector` will be auto-generated; remove it',
    isValid: (selector) => selector === null,
  }).optional(),
  manualSelector: apiRule(z.boolean(), {
    rule: '!self || (oldSelf.hasValue() && oldSelf.value())',
    optionalOldSelf: true,
    message: 'must not be true, because the selector of each Job will be auto-generated; remove it',
    isValid: (isManual) => !isManual,
  }).optional(),
};

/**
 * Checks the template for two kinds of faults: faults that a dry run does not find, and faults whose error from the API server does
 * not contain the fix. The webhook finds all other faults with a dry run.
 */
const jobTemplateRules = z
  .looseObject(
    { spec: z.looseObject(selectorRules).optional() },
    createTypeError('object', 'give the Job that each run creates'),
  )
  .superRefine((template, context) => {
    for (const { path, reason, value, message } of findTemplateFaults(template)) {
      context.addIssue({ code: 'custom', path: [...path], message, params: { reason, value } });
    }
  });

/** An optional time with limited length, because messages of conditions contain the time. */
const timeSchema = () =>
  time(TIME_TYPE_ERROR)
    .max(MAX_TIME_LENGTH, createLengthError(MAX_TIME_LENGTH, TIME_FIX))
    .refine((text) => parseTime(text) !== undefined, TIME_TYPE_ERROR) // with its offset, the UTC year can be negative
    .optional();

const createLimitSchema = () => int32().min(1).max(MAX_POLICY_LIMIT);

/** The fields of the spec without {@link WINDOW_RULE}, so that other versions can replace fields. */
export const cronJobSpecFields = z
  .object(
    {
      schedule: z
        .string(createTypeError('string', SCHEDULE_FIX))
        .min(1, { abort: true, error: findScheduleError('') })
        .max(MAX_SCHEDULE_LENGTH, createLengthError(MAX_SCHEDULE_LENGTH, SCHEDULE_FIX))
        .refine(...refineWith(findScheduleError))
        .describe(
          'Schedule in cron format: minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, @monthly, ' +
            '@yearly, or "@every <duration>". See https://en.wikipedia.org/wiki/Cron.',
        ),
      timeZone: z
        .string(createTypeError('string', TIME_ZONE_FIX))
        .min(1, { abort: true, error: findTimeZoneError('') })
        .max(MAX_TIME_ZONE_LENGTH, createLengthError(MAX_TIME_ZONE_LENGTH, TIME_ZONE_FIX))
        .refine(...refineWith(findTimeZoneError))
        .optional()
        .describe('IANA name of the time zone of the schedule, for example Europe/Berlin. Defaults to UTC.'),
      schedules: schedulesSchema,
      startTime: timeSchema().describe('No runs are scheduled before this time. By default, no limit applies.'),
      endTime: timeSchema().describe('No runs are scheduled at this time or later. By default, no limit applies.'),
      exclude: excludeSchema,
      daylightSaving: daylightSavingSchema,
      jitterSeconds: int32()
        .min(0)
        .max(MAX_JITTER_SECONDS)
        .optional()
        .describe(
          'Maximum delay of the runs, in seconds. All runs of a CronJob have the same delay. ' +
            'CronJobs with the same schedule have different delays, so that their runs do not start together. ' +
            'A delayed run starts before the next scheduled time. Defaults to 0.',
        ),
      startingDeadlineSeconds: int64()
        .min(0)
        .optional()
        .describe(
          'Number of seconds after the scheduled time, or after the delay of jitterSeconds, within which a run may start. ' +
            'A run that cannot start within this time is skipped. By default, no limit applies. With 0, no runs start.',
        ),
      concurrencyPolicy: z
        .enum(CONCURRENCY_POLICIES)
        .default(DEFAULT_CONCURRENCY_POLICY)
        .describe(
          'Action if a run is due while an earlier run is active. With Allow, the new run starts. ' +
            'With Forbid, the newest due run waits until the active run finishes. ' +
            'With Replace, the new run replaces the active run. With Skip, the new run never starts. ' +
            'With Queue, every run starts in the order of the scheduled times, one at a time.',
        ),
      maxConcurrentRuns: createLimitSchema()
        .optional()
        .describe(
          'Maximum number of active runs, including manual runs, with the concurrency policies Allow and Queue. ' +
            'Other due runs wait. With Allow, only the newest due run waits, unless catchUpPolicy is All. ' +
            'By default, Queue allows 1 active run, and Allow has no limit.',
        ),
      queueLimit: createLimitSchema()
        .optional()
        .describe(
          'Maximum number of due runs with concurrencyPolicy Queue, including runs that can start immediately. ' +
            `If more runs are due, the oldest runs are skipped. Defaults to ${DEFAULT_CATCH_UP_LIMIT}.`,
        ),
      catchUpPolicy: z
        .enum(CATCH_UP_POLICIES)
        .optional()
        .describe(
          'Selects the missed runs that start late, for example after an outage of the controller. ' +
            'With Latest, the default, only the newest missed run starts. ' +
            'With All, every missed run within startingDeadlineSeconds starts, the oldest first. ' +
            'Runs that were missed during a suspension or a pause do not start late. ' +
            'With concurrencyPolicy Queue, the catch-up policy is always All.',
        ),
      catchUpLimit: createLimitSchema()
        .optional()
        .describe(
          'Maximum number of missed runs that start late with the catch-up policy All. ' +
            `If more runs were missed, the oldest runs are skipped. Defaults to ${DEFAULT_CATCH_UP_LIMIT}.`,
        ),
      suspend: z.boolean().default(DEFAULT_SUSPEND).describe('While true, no new runs start. Active runs continue.'),
      suspendUntil: timeSchema().describe(
        'The CronJob is suspended until this time. Runs with a scheduled time before this time do not start. ' +
          'If suspend is true, the CronJob remains suspended after this time.',
      ),
      jobTemplate: kubernetesSchema<JobTemplateSpec>(JOB_TEMPLATE_SPEC, jobTemplateRules).describe(
        'The Job that each run creates.',
      ),
      successfulJobsHistoryLimit: int32()
        .min(0)
        .default(DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT)
        .describe('Number of successful Jobs to keep after they finish. 0 keeps no Jobs.'),
      failedJobsHistoryLimit: int32()
        .min(0)
        .default(DEFAULT_FAILED_JOBS_HISTORY_LIMIT)
        .describe('Number of failed Jobs to keep after they finish. 0 keeps no Jobs.'),
      requestedRunsHistoryLimit: int32()
        .min(0)
        .optional()
        .describe(
          'Number of finished Jobs of CronJobRuns to keep, in addition to the other history limits. ' +
            `Defaults to ${DEFAULT_REQUESTED_RUNS_HISTORY_LIMIT}. 0 keeps no Jobs.`,
        ),
      recentRunsLimit: int32()
        .min(0)
        .max(MAX_RECENT_RUNS_LIMIT)
        .optional()
        .describe(
          'Maximum number of lines in status.recentRuns and in status.recentSkips. ' +
            `Defaults to ${DEFAULT_RECENT_RUNS_LIMIT}. With 0, there are no lines.`,
        ),
      startTimeoutSeconds: int32()
        .min(1)
        .optional()
        .describe(
          'Number of seconds from the start of a Job within which a container must start. ' +
            'If no container starts in time, the Job fails, with the reason StartTimeout in status.recentRuns. ' +
            'The run is not repeated. By default, no limit applies.',
        ),
      expectSuccessWithinSeconds: int64()
        .min(1)
        .optional()
        .describe(
          'Maximum number of seconds between two successful runs. ' +
            'If no run succeeds in this time, the condition Overdue becomes True. Manual runs count too. By default, no limit applies.',
        ),
      pauseAfterFailures: int32()
        .min(1)
        .optional()
        .describe(
          'Number of consecutive failed runs of the schedule after which the CronJob is paused. A paused CronJob starts no ' +
            `scheduled runs until its spec or its annotation ${RESUME_ANNOTATION} changes, or a manual run succeeds. Without ` +
            'this field, the CronJob is never paused.',
        ),
      runOverrides: z
        .enum(RUN_OVERRIDES)
        .optional()
        .describe(
          'Changes that a CronJobRun may make to its runs. None, the default, allows no change. Args allows other arguments ' +
            'and another activeDeadlineSeconds. ArgsAndEnv also allows environment variables.',
        ),
      runContext: z
        .enum(RUN_CONTEXTS)
        .optional()
        .describe(
          'With Env, each container gets the environment variables CRONJOB_NAME, CRONJOB_RUN, CRONJOB_TRIGGER, ' +
            'CRONJOB_SCHEDULED_TIME and CRONJOB_LAST_SUCCESSFUL_TIME. None, the default, sets no variables.',
        ),
    },
    createTypeError('object', 'give a schedule and a jobTemplate'),
  )
  .describe('The schedule and the Job that each run creates.');

export const cronJobSpecSchema = apiRule(cronJobSpecFields, WINDOW_RULE);

/** The desired state of a CronJob: the schedule and the Job that each run creates. All defaults are set. */
export interface CronJobSpec extends ReadonlyDeep<z.output<typeof cronJobSpecSchema>> {}
/** The spec of a CronJob to create, where fields with a default are optional. */
export interface CronJobSpecInput extends ReadonlyDeep<z.input<typeof cronJobSpecSchema>> {}
/** The observed state of a CronJob, which the controller writes. */
export interface CronJobStatus extends ReadonlyDeep<z.output<typeof cronJobStatusSchema>> {}

/** A CronJob with all defaults. */
export interface CronJob {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly metadata: NamespacedObjectMeta;
  readonly spec: CronJobSpec;
  /** Absent until the controller writes the status. */
  readonly status?: CronJobStatus;
}

/** The kind CronJob. `make manifests` generates the CRD and docs/cronjob-v1.md from this definition. */
export const CronJob: VersionedKind<CronJob, CronJobSpecInput> = defineKind({
  group: GROUP,
  version: VERSION,
  kind: KIND,
  plural: PLURAL,
  singular: SINGULAR,
  shortNames: [SHORT_NAME],
  description: 'CronJob runs Jobs on a schedule.',
  name: {
    maxLength: MAX_NAME_LENGTH,
    message:
      `must be no more than ${MAX_NAME_LENGTH} characters, because the names of its Jobs are 11 characters longer; ` +
      'choose a shorter name',
  },
  spec: cronJobSpecSchema,
  status: cronJobStatusSchema,
  printerColumns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    {
      name: 'Timezone',
      type: 'string',
      jsonPath: '.spec.timeZone',
      priority: 1,
      description: 'An empty value means UTC.',
    },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Active', type: 'integer', jsonPath: '.status.activeCount' },
    { name: 'Last Schedule', type: 'date', jsonPath: '.status.lastScheduleTime' },
    { name: 'Next Schedule', type: 'string', jsonPath: '.status.nextScheduleTime' },
    { name: 'Last Result', type: 'string', jsonPath: '.status.lastRun.result' },
    {
      name: 'Overdue',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Overdue")].status',
      priority: 1,
      description: 'True if no run has succeeded within spec.expectSuccessWithinSeconds.',
    },
    {
      name: 'Paused',
      type: 'string',
      jsonPath: '.status.paused.reason',
      priority: 1,
      description: 'The reason that the CronJob is paused. Set only during a pause.',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type Condition = ReadonlyDeep<z.output<ReturnType<typeof condition>>>;
export type FailedStart = NonNullable<CronJobStatus['failedStart']>;
export type LastRun = NonNullable<CronJobStatus['lastRun']>;
export type ObjectReference = NonNullable<CronJobStatus['active']>[number];
