/** The zod schemas of a CronJobRun. `make manifests` copies the descriptions of the fields into the CRD. */
import {
  apiRule,
  conditions,
  defineKind,
  int32,
  int64,
  isSameJson,
  type ObjectOf,
  time,
} from 'controller-runtime/schema';
import { z } from 'zod';
import { parseTime } from '../time.ts';
import { DEFAULT_BACKFILL_LIMIT, MAX_NAME_LENGTH } from './cronjob-defaults.ts';
import { failedStartSchema } from './cronjob-status.ts';
import { GROUP, VERSION } from './groupversion.ts';

export const RUN_KIND = 'CronJobRun';
export const RUN_PLURAL = 'cronjobruns';

/** The order in which a backfill starts its runs. */
const BACKFILL_ORDERS = ['OldestFirst', 'NewestFirst'] as const;
/** Whether a run obeys the concurrency policy of the CronJob. */
const RUN_CONCURRENCY_POLICIES = ['Obey', 'Ignore'] as const;
export const MAX_BACKFILL_LIMIT = 1000;
/**
 * The maximum length of `status.jobs`. `status.jobs` contains every active run, so a backfill may not have more active
 * runs than this maximum.
 */
export const MAX_LISTED_JOBS = 50;
const MAX_CONTAINERS = 20;
const MAX_ARGS = 100;
const MAX_ENV_VARIABLES = 100;
/** In characters. */
const MAX_ARG_LENGTH = 4096;
/** In characters. The maximum length of a DNS label. */
const MAX_CONTAINER_NAME_LENGTH = 63;
/** In characters. */
const MAX_ENV_NAME_LENGTH = 253;

/** Refuses the names `.` and `..`, because the request for such a CronJob would fail in each reconcile. */
const CRON_JOB_NAME_PATTERN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const manualSchema = z.object({}).optional().describe('Starts one run without a scheduled time.');

/** The API server also stores times whose UTC year does not have four digits. */
const slotTimeSchema = () =>
  apiRule(time(), {
    rule: "self >= timestamp('0001-01-01T00:00:00Z') && self <= timestamp('9999-12-31T23:59:59.999999999Z')",
    message: 'must be in the years 1 to 9999',
    isValid: (text) => (parseTime(text)?.getUTCFullYear() ?? 0) > 0,
  });

const backfillFields = z.object({
  startTime: slotTimeSchema().describe('Start of the range, inclusive.'),
  endTime: slotTimeSchema().describe(
    'End of the range, exclusive. The range also excludes scheduled times after the creation of the CronJobRun.',
  ),
  order: z
    .enum(BACKFILL_ORDERS)
    .default('OldestFirst')
    .describe('Order of the runs by their scheduled times: OldestFirst or NewestFirst.'),
  maxConcurrentRuns: int32()
    .min(1)
    .max(MAX_LISTED_JOBS)
    .default(1)
    .describe(
      'Maximum number of runs of this backfill that may be active at the same time. The CronJob may allow fewer runs.',
    ),
  limit: int32()
    .min(1)
    .max(MAX_BACKFILL_LIMIT)
    .default(DEFAULT_BACKFILL_LIMIT)
    .describe('Maximum number of runs. If the range contains more scheduled times, no run starts.'),
});

function hasTimeSpan({ startTime, endTime }: z.output<typeof backfillFields>): boolean {
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  return start === undefined || end === undefined || end > start;
}

const backfillSchema = apiRule(backfillFields, {
  rule: 'timestamp(self.endTime) > timestamp(self.startTime)',
  message: 'endTime must be after startTime; change one of them',
  isValid: hasTimeSpan,
})
  .optional()
  .describe('Starts a run for each scheduled time of the CronJob from startTime up to, but not including, endTime.');

const overriddenContainerSchema = z.object({
  name: z.string().min(1).max(MAX_CONTAINER_NAME_LENGTH).describe('Name of a container of the jobTemplate.'),
  args: z
    .array(z.string().max(MAX_ARG_LENGTH))
    .max(MAX_ARGS)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('Arguments that replace the arguments in the jobTemplate.'),
  env: z
    .array(
      z.object({
        name: z.string().min(1).max(MAX_ENV_NAME_LENGTH).describe('Name of the environment variable.'),
        value: z.string().max(MAX_ARG_LENGTH).describe('Value of the environment variable. May be empty.'),
      }),
    )
    .max(MAX_ENV_VARIABLES)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('Environment variables to add. Each replaces a variable of the jobTemplate that has the same name.'),
});

const overridesSchema = z
  .object({
    containers: z
      .array(overriddenContainerSchema)
      .max(MAX_CONTAINERS)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .optional()
      .describe('The containers to change.'),
    activeDeadlineSeconds: int64()
      .min(1)
      .optional()
      .describe('Maximum number of seconds for which each run may be active. Replaces the value in the jobTemplate.'),
  })
  .optional()
  .describe('Changes to the Jobs of the runs. spec.runOverrides of the CronJob must allow each change.');

const runSpecFields = z.object({
  cronJobName: z
    .string()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .regex(CRON_JOB_NAME_PATTERN)
    .describe('Name of the CronJob, in the same namespace.'),
  manual: manualSchema,
  scheduledTime: slotTimeSchema()
    .optional()
    .describe('Starts one run for this scheduled time, as a retry or because the run was missed.'),
  backfill: backfillSchema,
  overrides: overridesSchema,
  concurrencyPolicy: z
    .enum(RUN_CONCURRENCY_POLICIES)
    .default('Obey')
    .describe(
      'Effect of the concurrency policy and the limits of the CronJob. With Obey, the runs wait for active runs, or replace runs of ' +
        'the schedule. With Ignore, the runs start even if other runs are active.',
    ),
  ttlSecondsAfterFinished: int32()
    .min(0)
    .optional()
    .describe(
      'Number of seconds after which the finished CronJobRun is deleted. When not set, the CronJobRun is not deleted.',
    ),
  suspend: z.boolean().optional().describe('While true, no more runs start. Active runs continue.'),
});

/** A CronJobRun has exactly one of the fields manual, scheduledTime and backfill. */
const REQUEST_FIELDS = ['manual', 'scheduledTime', 'backfill'] as const;

const ONE_REQUEST_RULE = {
  rule: `[${REQUEST_FIELDS.map((field) => `has(self.${field})`).join(', ')}].exists_one(isSet, isSet)`,
  message: 'give exactly one of: manual, scheduledTime, backfill',
  isValid: (spec: z.output<typeof runSpecFields>) =>
    REQUEST_FIELDS.filter((field) => spec[field] !== undefined).length === 1,
};

const formatUnchangedRule = (field: string) =>
  `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;

const IMMUTABLE_FIELDS = runSpecFields.keyof().exclude(['suspend']).options;

const IMMUTABLE_RULE = {
  rule: IMMUTABLE_FIELDS.map(formatUnchangedRule).join(' && '),
  message: 'only suspend can be changed; delete the CronJobRun and create another one',
  isValid: (spec: z.output<typeof runSpecFields>, oldSpec?: z.output<typeof runSpecFields>) =>
    IMMUTABLE_FIELDS.every((field) => isSameJson(spec[field], oldSpec?.[field])),
};

const cronJobRunSpecSchema = apiRule(apiRule(runSpecFields, ONE_REQUEST_RULE), IMMUTABLE_RULE).describe(
  'The runs to start.',
);

const requestedJobSchema = z
  .object({
    name: z.string().describe('Name of the Job.'),
    scheduledTime: time().optional().describe('Scheduled time of the run. Not set for a manual run.'),
    result: z
      .enum(['Running', 'Succeeded', 'Failed', 'Unknown'])
      .describe(
        'State of the run. Unknown means that the Job was deleted before the controller read its result; the run counts as failed.',
      ),
    startTime: time().optional().describe('Start of the Job.'),
    completionTime: time().optional().describe('End of the Job.'),
    reason: z.string().optional().describe('Reason for the result, in CamelCase.'),
    message: z.string().optional().describe('Message of the failed Job. A long message is truncated.'),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const countSchema = (description: string) => int32().min(0).optional().describe(description);

export const cronJobRunStatusSchema = z
  .object({
    conditions: conditions('The conditions Accepted, Complete and Failed.'),
    cronJobUID: z.string().optional().describe('UID of the CronJob when the CronJobRun was accepted.'),
    startTime: time().optional().describe('Time at which the CronJobRun was accepted.'),
    completionTime: time().optional().describe('Time at which the CronJobRun completed or failed.'),
    lastScheduledTime: time()
      .optional()
      .describe(
        'Scheduled time of the last run that was started or skipped. The next run follows in the order of the backfill.',
      ),
    total: countSchema('Number of runs, including the runs that have not started.'),
    active: countSchema('Number of active runs.'),
    succeeded: countSchema('Number of runs that succeeded.'),
    failed: countSchema('Number of runs that failed.'),
    skipped: countSchema('Number of runs that could not be started.'),
    failedStart: failedStartSchema.optional().describe('The reason that the next run could not be started.'),
    jobs: z
      .array(requestedJobSchema)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe(`The newest ${MAX_LISTED_JOBS} Jobs of this CronJobRun, the newest first.`),
  })
  .describe('The progress of the runs.');

/** The kind CronJobRun. `make manifests` generates the CRD and docs/cronjobrun-v1.md from this definition. */
export const CronJobRun = defineKind({
  group: GROUP,
  version: VERSION,
  kind: RUN_KIND,
  plural: RUN_PLURAL,
  singular: 'cronjobrun',
  shortNames: ['tcjr'],
  description:
    'CronJobRun starts runs of a CronJob: one now, one for an earlier scheduled time, or one for each scheduled time in a range.',
  spec: cronJobRunSpecSchema,
  status: cronJobRunStatusSchema,
  printerColumns: [
    { name: 'CronJob', type: 'string', jsonPath: '.spec.cronJobName' },
    { name: 'State', type: 'string', jsonPath: '.status.conditions[?(@.type=="Complete")].reason' },
    { name: 'Total', type: 'integer', jsonPath: '.status.total' },
    { name: 'Active', type: 'integer', jsonPath: '.status.active' },
    { name: 'Succeeded', type: 'integer', jsonPath: '.status.succeeded' },
    { name: 'Failed', type: 'integer', jsonPath: '.status.failed' },
    { name: 'Skipped', type: 'integer', jsonPath: '.status.skipped', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** A CronJobRun with all defaults. */
export type CronJobRun = ObjectOf<typeof CronJobRun>;
/** The runs to start. */
export type CronJobRunSpec = CronJobRun['spec'];
/** The progress of the runs of a CronJobRun, which the controller writes. */
export type CronJobRunStatus = NonNullable<CronJobRun['status']>;
export type RequestedJob = NonNullable<CronJobRunStatus['jobs']>[number];
