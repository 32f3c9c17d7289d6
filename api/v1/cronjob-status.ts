import { conditions, int32, int64, time } from 'controller-runtime/schema';
import { z } from 'zod';
import { FAILED_START_REASONS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';
import { daylightSavingSchema } from './timetable-fields.ts';

/** The result is `Unknown` if the Job was deleted before the controller read its result. */
const RUN_RESULTS = ['Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/**
 * `managedFields` contain one entry for an atomic map instead of one entry per field. Fewer entries make a status write
 * faster (docs/adr/0028-cost-of-a-status-write.md).
 */
const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' } as const;

const lastRunSchema = z
  .object({
    jobName: z.string().describe('Name of the Job.'),
    scheduledTime: time().optional().describe('Scheduled time of the run. Set only for a run of the schedule.'),
    startTime: time().optional().describe('Start of the Job.'),
    completionTime: time().optional().describe('End of the Job.'),
    result: z.enum(RUN_RESULTS).describe('State of the run.'),
    reason: z.string().optional().describe('Reason for the result, in CamelCase.'),
  })
  .meta(ATOMIC_MAP)
  .describe('The last run.');

const effectiveScheduleSchema = z
  .object({
    schedule: z.string().describe('The current schedule.'),
    timeZone: z.string().describe('The current time zone.'),
    schedules: z
      .array(z.string())
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe('The current spec.schedules.'),
    startTime: time().optional().describe('The current spec.startTime.'),
    endTime: time().optional().describe('The current spec.endTime.'),
    daylightSaving: daylightSavingSchema,
    since: time().describe('Time from which the schedule applies. No runs start for earlier scheduled times.'),
  })
  .meta(ATOMIC_MAP)
  .describe(
    'The current schedule and the time of its last change. The controller starts no runs for times before the change.',
  );

export const failedStartSchema = z
  .object({
    jobName: z.string().describe('Name of the Job that could not be created or deleted.'),
    reason: z
      .enum(FAILED_START_REASONS)
      .describe(
        'Refused means that the API server rejected the Job. ' +
          'JobNameTaken means that a Job with the same name has another owner. ' +
          'DeleteFailed means that the Job to replace could not be deleted.',
      ),
    message: z.string().optional().describe('Error message of the API server.'),
    since: time()
      .optional()
      .describe(
        'Time of the first failure. For a CronJob, set only with catchUpPolicy All or concurrencyPolicy Queue.',
      ),
  })
  .meta(ATOMIC_MAP)
  .describe('The reason that a run could not be started. The reason remains until a run starts.');

const objectReferenceSchema = z
  .object({
    apiVersion: z.string().optional().describe('API version of the object.'),
    kind: z.string().optional().describe('Kind of the object.'),
    namespace: z.string().optional().describe('Namespace of the object.'),
    name: z.string().optional().describe('Name of the object.'),
    uid: z.string().optional().describe('UID of the object.'),
    resourceVersion: z.string().optional().describe('Resource version of the object.'),
    fieldPath: z.string().optional().describe('Path of a field in the object.'),
  })
  .meta(ATOMIC_MAP);

const pausedSchema = z
  .object({
    reason: z
      .string()
      .describe('TooManyFailures means that the number of consecutive failed runs reached spec.pauseAfterFailures.'),
    since: time().describe('Start of the pause.'),
  })
  .meta(ATOMIC_MAP)
  .describe('The reason that the CronJob is paused. Set only during a pause.');

/** A status write is faster with lines of text than with objects (docs/adr/0030-runs-as-lines.md). */
const recentLinesSchema = () =>
  z.array(z.string().max(MAX_RECENT_LINE_LENGTH)).meta({ 'x-kubernetes-list-type': 'atomic' }).optional();

export const cronJobStatusSchema = z
  .object({
    active: z
      .array(objectReferenceSchema)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe('The Jobs that are running.'),
    activeCount: int32().min(0).optional().describe('Number of running Jobs.'),
    lastScheduleTime: time().optional().describe('Scheduled time of the last started run.'),
    lastSuccessfulTime: time().optional().describe('Time at which the last successful run finished.'),
    lastFailureTime: time().optional().describe('Time at which the last failed run failed.'),
    nextScheduleTime: time()
      .optional()
      .describe('Scheduled time of the next run. Not set while the CronJob is suspended or has no next run.'),
    nextStartTime: time().optional().describe('Start of the next run. Set only with spec.jitterSeconds.'),
    lastRun: lastRunSchema.optional(),
    recentRuns: recentLinesSchema().describe(
      'The most recent runs, newest first, including runs whose Jobs are deleted. ' +
        'Each line has a time, the result (Running, Succeeded, Failed, Replaced, Unknown), the Job name, and the trigger ' +
        '(Schedule, Manual, Backfill, External). The time is the scheduled time for the trigger Schedule, and the creation time of ' +
        'the Job for other triggers. by= is the CronJobRun that requested the run. ' +
        'late= is the time from the scheduled time to the creation of the Job, queued= the time from the creation to the start, ' +
        'and took= the time from the start to the end. A failed run also has a reason and a message.',
    ),
    recentSkips: recentLinesSchema().describe(
      'The most recent scheduled times without a run, newest first. Each line has the scheduled time and the reason. ' +
        'For consecutive times with the same reason, last= is the last time and count= is the number of times. ' +
        '100+ means more than a hundred. note= is the reason of the exclusion.',
    ),
    consecutiveFailures: int32()
      .min(0)
      .optional()
      .describe(
        'Number of consecutive failed runs of the schedule. The controller updates the number only while spec.pauseAfterFailures is set.',
      ),
    paused: pausedSchema.optional(),
    lastResume: z
      .string()
      .optional()
      .describe(
        'Last value of the annotation resume that the controller handled. A long value is stored as its SHA-256 hash.',
      ),
    successExpectedSince: time()
      .optional()
      .describe('Time from which spec.expectSuccessWithinSeconds counts. A later successful run restarts the count.'),
    suspendedUntil: time().optional().describe('The current value of spec.suspendUntil.'),
    failedStart: failedStartSchema.optional(),
    effectiveSchedule: effectiveScheduleSchema.optional(),
    handledThrough: time()
      .optional()
      .describe('Scheduled times up to and including this time have a run, or were missed or skipped.'),
    lastManualRun: z
      .string()
      .optional()
      .describe(
        'Last value of the annotation run-now that the controller handled. A long value is stored as its SHA-256 hash.',
      ),
    reported: z
      .array(z.string())
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .optional()
      .describe(
        'Keys of problems that events have reported. The controller uses the keys to report each problem once.',
      ),
    observedGeneration: int64().min(0).optional().describe('The metadata.generation that this status describes.'),
    conditions: conditions(
      'The conditions Available, Progressing and Degraded, and with spec.expectSuccessWithinSeconds also Overdue.',
    ),
  })
  .describe('The state that the controller observed last.');
