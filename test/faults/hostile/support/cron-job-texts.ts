/** Valid CronJobs as JSON texts, the base of hostile ones: one with the required fields, one with every field. */
import type { CronJobSpec, CronJobStatus } from '../../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../support/cron-jobs.ts';

/** Template of a pod with a field of every sort. */
const TEMPLATE = {
  metadata: { labels: { app: 'hello' }, annotations: { note: 'x' } },
  spec: {
    activeDeadlineSeconds: 600,
    backoffLimit: 3,
    ttlSecondsAfterFinished: 60,
    template: {
      metadata: { labels: { app: 'hello' }, annotations: { note: 'y' } },
      spec: {
        restartPolicy: 'Never',
        activeDeadlineSeconds: 300,
        initContainers: [{ name: 'first', image: 'busybox', env: [{ name: 'A', value: 'b' }] }],
        containers: [
          { name: 'hello', image: 'busybox', env: [{ name: 'CRONJOB_NAME', value: 'mine' }] },
          { name: 'other', image: 'busybox' },
        ],
      },
    },
  },
};

const EVERY_SPEC_FIELD: Required<CronJobSpec> = {
  schedule: '*/30 * * * *',
  timeZone: 'Europe/Berlin',
  schedules: ['15 * * * *', '@every 1h'],
  startTime: at('00:00:00'),
  endTime: '2027-01-01T00:00:00Z',
  exclude: [
    { reason: 'holiday', startTime: at('05:00:00'), endTime: at('06:00:00') },
    { dates: ['2026-12-25'] },
    { schedule: '* 2-3 * * 0' },
  ],
  daylightSaving: { skippedTimes: 'RunAfter', repeatedTimes: 'RunOnce' },
  jitterSeconds: 60,
  startingDeadlineSeconds: 3600,
  concurrencyPolicy: 'Forbid',
  maxConcurrentRuns: 2,
  queueLimit: 10,
  catchUpPolicy: 'All',
  catchUpLimit: 20,
  suspend: false,
  suspendUntil: at('02:00:00'),
  successfulJobsHistoryLimit: 1,
  failedJobsHistoryLimit: 0,
  requestedRunsHistoryLimit: 2,
  recentRunsLimit: 5,
  startTimeoutSeconds: 300,
  expectSuccessWithinSeconds: 7200,
  pauseAfterFailures: 3,
  runOverrides: 'Args',
  runContext: 'Env',
  jobTemplate: TEMPLATE,
};

const condition = (type: string, status: 'True' | 'False', reason: string) =>
  ({ type, status, reason, message: 'm', lastTransitionTime: at('00:00:00'), observedGeneration: 1 }) as const;

const EVERY_STATUS_FIELD: Required<CronJobStatus> = {
  active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'hello-1767227400', uid: 'a' }],
  activeCount: 1,
  lastScheduleTime: at('00:30:00'),
  lastSuccessfulTime: at('00:01:00'),
  lastFailureTime: at('00:02:00'),
  nextScheduleTime: at('01:00:00'),
  nextStartTime: at('01:00:30'),
  lastRun: { jobName: 'hello-1767227400', scheduledTime: at('00:30:00'), startTime: at('00:30:01'), result: 'Running' },
  recentRuns: [
    '2026-01-01T00:30:00Z Running hello-1767227400 Schedule late=1s',
    '2026-01-01T00:00:00Z Failed hello-1767225600 Schedule late=1s queued=2s took=1m3s BackoffLimitExceeded: it failed',
  ],
  recentSkips: ['2026-01-01T00:10:00Z Suspended last=2026-01-01T00:20:00Z count=2', '2026-01-01T00:05:00Z Paused'],
  consecutiveFailures: 2,
  paused: { reason: 'TooManyFailures', since: at('00:20:00') },
  lastResume: 'b',
  successExpectedSince: at('00:00:00'),
  suspendedUntil: at('02:00:00'),
  failedStart: { jobName: 'hello-1767227400', reason: 'Refused', message: 'quota' },
  effectiveSchedule: { schedule: '*/30 * * * *', timeZone: 'Europe/Berlin', since: at('00:00:00') },
  handledThrough: at('00:30:00'),
  lastManualRun: 'now',
  reported: ['FailedStart/hello-1767227400/Refused', 'Overdue'],
  observedGeneration: 1,
  conditions: [
    condition('Available', 'True', 'JobsActive'),
    condition('Progressing', 'True', 'JobsActive'),
    condition('Degraded', 'True', 'FailedCreate'),
    condition('Overdue', 'False', 'AsExpected'),
  ],
};

const SUSPENDED: CronJobStatus = {
  ...EVERY_STATUS_FIELD,
  conditions: [condition('Available', 'False', 'Suspended')],
};
const { paused: _, ...NOT_PAUSED } = EVERY_STATUS_FIELD;

export const CRON_JOB_TEXTS: readonly string[] = [
  cronJob(),
  cronJob(EVERY_SPEC_FIELD, NOT_PAUSED),
  cronJob(EVERY_SPEC_FIELD, EVERY_STATUS_FIELD),
  cronJob({ ...EVERY_SPEC_FIELD, suspend: true }, EVERY_STATUS_FIELD),
  cronJob({ concurrencyPolicy: 'Replace' }, SUSPENDED),
  cronJob({ schedule: '@every 90s' }, NOT_PAUSED),
].map((each) => JSON.stringify(each));
