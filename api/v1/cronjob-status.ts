/** The status of a CronJob: its zod schema. The descriptions are API documentation, as in cronjob-types.ts. */
import { conditions, int32, int64, time } from 'controller-runtime/schema';
import { z } from 'zod';
import { FAILED_START_REASONS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';

/** Results of a run. `Unknown`: its Job was gone before the controller read its result. */
const RUN_RESULTS = ['Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/**
 * Makes the field have one owner in `managedFields`, instead of one per subfield: every write of the status reads them all
 * (docs/adr/0028-cost-of-a-status-write.md).
 */
const ONE_OWNER = { 'x-kubernetes-map-type': 'atomic' } as const;

const lastRunSchema = z
  .object({
    jobName: z.string().describe('Name of the Job.'),
    scheduledTime: time().optional().describe('When the run was scheduled. Not set for a manual run.'),
    startTime: time().optional().describe('When the Job started.'),
    completionTime: time().optional().describe('When the Job finished.'),
    result: z.enum(RUN_RESULTS).describe('State of the run.'),
    reason: z.string().optional().describe('Why the run has this result, as one CamelCase word.'),
  })
  .meta(ONE_OWNER)
  .describe('The last run.');

const effectiveScheduleSchema = z
  .object({
    schedule: z.string().describe('The current schedule.'),
    timeZone: z.string().describe('The current time zone.'),
    since: time().describe('When the schedule took effect. Earlier scheduled times are never run.'),
  })
  .meta(ONE_OWNER)
  .describe('The current schedule and when it took effect, so that an edit never starts a run by itself.');

const failedStartSchema = z
  .object({
    jobName: z.string().describe('Name of the Job that could not be created or deleted.'),
    reason: z
      .enum(FAILED_START_REASONS)
      .describe(
        'Refused: the API server refused the Job. JobNameTaken: a Job of that name has another owner. ' +
          'DeleteFailed: a Job to be replaced could not be deleted.',
      ),
    message: z.string().optional().describe('Answer of the API server.'),
  })
  .meta(ONE_OWNER)
  .describe('Why a run could not be started. The Degraded condition with the reason FailedCreate shows it.');

const objectReferenceSchema = z
  .object({
    apiVersion: z.string().optional().describe('API version of the object.'),
    kind: z.string().optional().describe('Kind of the object.'),
    namespace: z.string().optional().describe('Namespace of the object.'),
    name: z.string().optional().describe('Name of the object.'),
    uid: z.string().optional().describe('UID of the object.'),
    resourceVersion: z.string().optional().describe('Version of the object when the reference was made.'),
    fieldPath: z.string().optional().describe('Part of the object.'),
  })
  .meta(ONE_OWNER);

const pausedSchema = z
  .object({
    reason: z.string().describe('TooManyFailures: spec.pauseAfterFailures runs failed in a row.'),
    since: time().describe('When it was paused.'),
  })
  .meta(ONE_OWNER)
  .describe('Why no runs of the schedule start. Not set while runs start.');

/**
 * Lines instead of objects: they are easier to read, and every write of the status takes time for each value in it
 * (docs/adr/0030-runs-as-lines.md).
 */
const lines = () =>
  z.array(z.string().max(MAX_RECENT_LINE_LENGTH)).meta({ 'x-kubernetes-list-type': 'atomic' }).optional();

export const cronJobStatusSchema = z
  .object({
    active: z
      .array(objectReferenceSchema)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe('The Jobs that are running.'),
    activeCount: int32().min(0).optional().describe('How many Jobs are running.'),
    lastScheduleTime: time().optional().describe('Scheduled time of the last run that was started.'),
    lastSuccessfulTime: time().optional().describe('When the last successful run finished.'),
    lastFailureTime: time().optional().describe('When the last failed run failed.'),
    nextScheduleTime: time()
      .optional()
      .describe('Scheduled time of the next run. Not set while suspended or when there is none.'),
    lastRun: lastRunSchema.optional(),
    recentRuns: lines().describe(
      'The newest runs, newest first, even after their Jobs are gone. Each line: scheduled time (for a manual run, the time ' +
        'when its Job was created), result (Running, Succeeded, Failed, Replaced, Unknown), Job name, trigger (Schedule, Manual, ' +
        'External); then late=, queued= and took= with durations: from the scheduled time until the Job was created, from ' +
        'then until it started, from then until it finished, where not zero; then the reason of a failure and its message.',
    ),
    recentSkips: lines().describe(
      'The newest scheduled times without a run, newest first. Each line: the time and the reason; for several times in a ' +
        'row, also last= with the last time and count= with their number, where 100+ means more than a hundred.',
    ),
    consecutiveFailures: int32()
      .min(0)
      .optional()
      .describe('How many runs of the schedule failed in a row. Counted while spec.pauseAfterFailures is set.'),
    paused: pausedSchema.optional(),
    lastResume: z
      .string()
      .optional()
      .describe('Last value of the resume annotation that was handled, or the SHA-256 of a long value.'),
    successExpectedSince: time()
      .optional()
      .describe('A run must succeed within spec.expectSuccessWithinSeconds of this time, or of a later success.'),
    suspendedUntil: time().optional().describe('The spec.suspendUntil that is in effect.'),
    failedStart: failedStartSchema.optional(),
    effectiveSchedule: effectiveScheduleSchema.optional(),
    handledThrough: time().optional().describe('Scheduled times up to this one are handled: run, missed or skipped.'),
    lastManualRun: z
      .string()
      .optional()
      .describe('Last value of the run-now annotation that was handled, or the SHA-256 of a long value.'),
    reported: z
      .array(z.string())
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe(
        'Keys of lasting problems that events have reported, so that each is reported once. For the controller.',
      ),
    observedGeneration: int64().min(0).optional().describe('metadata.generation that this status describes.'),
    conditions: conditions('Available, Progressing, Degraded or Overdue.').describe(
      'Available, Progressing and Degraded; with spec.expectSuccessWithinSeconds also Overdue.',
    ),
  })
  .describe('Last observed state, written by the controller.');
