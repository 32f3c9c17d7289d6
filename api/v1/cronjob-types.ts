/**
 * The CronJob resource: zod schemas, and the types inferred from them.
 *
 * The descriptions are API documentation: `make manifests` copies them into the CRD, where `kubectl explain` reads them.
 */
import {
  apiRule,
  type condition,
  defineKind,
  int32,
  int64,
  kubernetesSchema,
  type ObjectOf,
  type ReadonlyDeep,
  time,
} from 'controller-runtime/schema';
import { z } from 'zod';
import type { JobTemplateSpec } from '../kubernetes.ts';
import { parseTime } from '../time.ts';
import {
  CONCURRENCY_POLICIES,
  DEFAULT_CONCURRENCY_POLICY,
  DEFAULT_FAILED_JOBS_HISTORY_LIMIT,
  DEFAULT_RECENT_RUNS_LIMIT,
  DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT,
  DEFAULT_SUSPEND,
  MAX_NAME_LENGTH,
  MAX_RECENT_RUNS_LIMIT,
  MAX_SCHEDULE_LENGTH,
  MAX_TIME_ZONE_LENGTH,
  RUN_CONTEXTS,
} from './cronjob-defaults.ts';
import { cronJobStatusSchema } from './cronjob-status.ts';
import { GROUP, KIND, PLURAL, RESUME_ANNOTATION, SHORT_NAME, SINGULAR, VERSION } from './groupversion.ts';
import { parseSchedule, type ScheduleOptions } from './schedule.ts';
import { findTemplateFaults } from './template-advice.ts';

/** Name of the Job template in the API server's OpenAPI document. */
export const JOB_TEMPLATE_SPEC = 'io.k8s.api.batch.v1.JobTemplateSpec';

const SCHEDULE_FIX = 'give a schedule in cron format, such as "0 * * * *"';
const TIME_ZONE_FIX = 'use an IANA name such as Europe/Berlin';
const TIME_FIX = 'give a time such as 2026-01-02T15:04:05Z';
const TIME_TYPE_ERROR = { error: `must be of type date-time; ${TIME_FIX}` };
/** Length with nanoseconds and an offset. The format allows any number of digits. */
const MAX_TIME_LENGTH = '2026-01-02T15:04:05.123456789+00:00'.length;

/** The message for a value of the wrong type, with its fix; for a missing value, only the fix. */
const typeError = (type: string, fix: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? fix : `must be of type ${type}; ${fix}`),
});

/** The error for a text that is too long. It aborts the checks, so that no other error is reported for that text. */
const lengthError = (max: number, fix: string) => ({
  abort: true,
  error: `may not be more than ${max} characters; ${fix}`,
});

/** Why a schedule cannot be parsed; `undefined` when it can be parsed. */
function findScheduleError(text: string, options?: ScheduleOptions): string | undefined {
  const parsed = parseSchedule(text, options);
  // Without the field and the value, which the caller adds.
  return parsed.kind === 'ok' ? undefined : parsed.message.replace(/^[\w.]+: "(?:[^"\\]|\\.)*": /, '');
}

/** Checked with any valid schedule, so that an invalid zone and an invalid schedule are both reported. */
function findTimeZoneError(timeZone: string): string | undefined {
  return findScheduleError('* * * * *', { timeZone });
}

/** Arguments of zod's `refine`, for a text that `findError` accepts. */
const refineWith = (findError: (text: string) => string | undefined) =>
  [
    (text: string) => findError(text) === undefined,
    { error: ({ input }: { input?: unknown }) => findError(String(input)) },
  ] as const;

/** Refused as in batch/v1: with a selector from the template, Jobs would count each other's Pods. */
const jobSelectors = {
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
 * Checks only what batch/v1 accepts in a Job but not in a template, and what the CRD refuses without a fix in the message. The API
 * server checks the rest, in the dry run of a webhook.
 */
const jobTemplateRules = z
  .looseObject(
    { spec: z.looseObject(jobSelectors).optional() },
    typeError('object', 'give the Job that each run creates'),
  )
  .superRefine((template, context) => {
    for (const { path, reason, value, why } of findTemplateFaults(template)) {
      context.addIssue({ code: 'custom', path: [...path], message: why, params: { reason, value } });
    }
  });

export const cronJobSpecSchema = z
  .object(
    {
      schedule: z
        .string(typeError('string', SCHEDULE_FIX))
        .min(1, { abort: true, error: findScheduleError('') })
        .max(MAX_SCHEDULE_LENGTH, lengthError(MAX_SCHEDULE_LENGTH, SCHEDULE_FIX))
        .refine(...refineWith(findScheduleError))
        .describe(
          'When to run, in cron format: minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, ' +
            '@monthly, @yearly, or "@every <duration>". See https://en.wikipedia.org/wiki/Cron.',
        ),
      timeZone: z
        .string(typeError('string', TIME_ZONE_FIX))
        .min(1, { abort: true, error: findTimeZoneError('') })
        .max(MAX_TIME_ZONE_LENGTH, lengthError(MAX_TIME_ZONE_LENGTH, TIME_ZONE_FIX))
        .refine(...refineWith(findTimeZoneError))
        .optional()
        .describe(
          'IANA name of the time zone of the schedule, for example Europe/Berlin. UTC when not set; never the zone of the ' +
            'controller.',
        ),
      startingDeadlineSeconds: int64()
        .min(0)
        .optional()
        .describe(
          'How many seconds after its scheduled time a run may still start, if it missed that time for any reason. Later ' +
            'runs are skipped. No limit when not set; 0 starts no runs.',
        ),
      concurrencyPolicy: z
        .enum(CONCURRENCY_POLICIES)
        .default(DEFAULT_CONCURRENCY_POLICY)
        .describe(
          'What to do when a run is due while an earlier run is active: Allow starts it too, Forbid waits for the active run ' +
            'to finish, Replace deletes the active run and starts the new one.',
        ),
      suspend: z.boolean().default(DEFAULT_SUSPEND).describe('While true, no new runs start. Active runs continue.'),
      suspendUntil: time(TIME_TYPE_ERROR)
        // The conditions quote the time, and their messages have a maximum length.
        .max(MAX_TIME_LENGTH, lengthError(MAX_TIME_LENGTH, TIME_FIX))
        .refine((text) => parseTime(text) !== undefined, TIME_TYPE_ERROR) // with its offset, the time may be before the year 0
        .optional()
        .describe(
          'No new runs start before this time, as if suspend were true. Runs that are scheduled for this time or later ' +
            'start; earlier runs never start. suspend: true suspends beyond this time.',
        ),
      jobTemplate: kubernetesSchema<JobTemplateSpec>(JOB_TEMPLATE_SPEC, jobTemplateRules).describe(
        'The Job that each run creates.',
      ),
      successfulJobsHistoryLimit: int32()
        .min(0)
        .default(DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT)
        .describe('How many successful finished Jobs to keep. 0 keeps none.'),
      failedJobsHistoryLimit: int32()
        .min(0)
        .default(DEFAULT_FAILED_JOBS_HISTORY_LIMIT)
        .describe('How many failed finished Jobs to keep. 0 keeps none.'),
      recentRunsLimit: int32()
        .min(0)
        .max(MAX_RECENT_RUNS_LIMIT)
        .optional()
        .describe(
          'How many runs status.recentRuns lists, and how many entries status.recentSkips has. ' +
            `${DEFAULT_RECENT_RUNS_LIMIT} when not set; 0 lists none.`,
        ),
      startTimeoutSeconds: int32()
        .min(1)
        .optional()
        .describe(
          'How many seconds after the start of a Job one of its containers must have started. Otherwise the Job fails, with ' +
            'the reason StartTimeout in status.recentRuns. The run is not repeated. No limit when not set.',
        ),
      expectSuccessWithinSeconds: int64()
        .min(1)
        .optional()
        .describe(
          'A run must succeed at least this often, in seconds. Otherwise the condition Overdue becomes True. Successes of ' +
            'manual runs count. No check when not set.',
        ),
      pauseAfterFailures: int32()
        .min(1)
        .optional()
        .describe(
          'After this many failed runs of the schedule in a row, no new runs start. A change of the spec, a new value of the ' +
            `annotation ${RESUME_ANNOTATION}, or a manual run that succeeds resumes it. Never when not set.`,
        ),
      runContext: z
        .enum(RUN_CONTEXTS)
        .optional()
        .describe(
          'Env: each container gets the environment variables CRONJOB_NAME, CRONJOB_RUN, CRONJOB_TRIGGER, ' +
            'CRONJOB_SCHEDULED_TIME and CRONJOB_LAST_SUCCESSFUL_TIME. None, also when not set: no variables.',
        ),
    },
    typeError('object', 'give a schedule and a jobTemplate'),
  )
  .describe('What to run and when.');

/** The kind. The CRD and the reference page are generated from it, and the webhook validates with it. */
export const CronJob = defineKind({
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
      `must be no more than ${MAX_NAME_LENGTH} characters, because the names of its Jobs are 11 longer; ` +
      'choose a shorter name',
  },
  spec: cronJobSpecSchema,
  status: cronJobStatusSchema,
  printerColumns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Timezone', type: 'string', jsonPath: '.spec.timeZone', priority: 1, description: 'UTC when empty.' },
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
      description: 'True: no run has succeeded within spec.expectSuccessWithinSeconds.',
    },
    {
      name: 'Paused',
      type: 'string',
      jsonPath: '.status.paused.reason',
      priority: 1,
      description: 'Why no run of the schedule starts after failures; empty while runs start.',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** A stored CronJob. The API server has applied the defaults, so the spec has all of them. */
export type CronJob = ObjectOf<typeof CronJob>;
export type CronJobSpec = CronJob['spec'];
export type CronJobStatus = NonNullable<CronJob['status']>;
export type Condition = ReadonlyDeep<z.output<ReturnType<typeof condition>>>;
export type FailedStart = NonNullable<CronJobStatus['failedStart']>;
export type LastRun = NonNullable<CronJobStatus['lastRun']>;
export type ObjectReference = NonNullable<CronJobStatus['active']>[number];
