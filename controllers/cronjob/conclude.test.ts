import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { conclude, SCHEDULE_SLACK_MS } from './conclude.ts';
import { type ActionResults, decide, type StartFailure, type StartResult } from './decide.ts';
import { assess } from './facts.ts';

const HOUR_MS = 3_600_000;

/** The outcome of a reconcile without conditions, which conditions.test.ts tests. */
function reconcile(
  given: CronJob,
  jobs: readonly Job[],
  now: string,
  started: StartResult = { kind: 'None' },
  rest: Partial<ActionResults> = {},
) {
  const facts = assess({ cronJob: given, jobs }, new Date(now));
  const results: ActionResults = { started, replaced: [], ...rest };
  const { events, notifications, canWait, mustRecord, status, ...left } = conclude(facts, decide(facts), results);
  const { conditions: _, ...withoutConditions } = status;
  return { ...left, status: withoutConditions, events: [...events, ...notifications.events] };
}

const failedWith = (failure: Partial<StartFailure>): StartResult => ({
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1767229200', message: 'quota exceeded', ...failure },
});

const effectiveSchedule = { schedule: '0 * * * *', timeZone: 'UTC', since: at('00:00:00') };
const idle: CronJobStatus = {
  activeCount: 0,
  nextScheduleTime: at('01:00:00'),
  effectiveSchedule,
  observedGeneration: 1,
};
const reference = (slot: string) => {
  const { name, uid } = buildJob(slot).metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name, uid };
};
const running: CronJobStatus = {
  active: [reference(at('01:00:00'))],
  activeCount: 1,
  lastScheduleTime: at('01:00:00'),
  nextScheduleTime: at('02:00:00'),
  lastRun: {
    jobName: 'hello-1767229200',
    scheduledTime: at('01:00:00'),
    startTime: at('01:00:00'),
    result: 'Running',
  },
  recentRuns: ['2026-01-01T01:00:00Z Running hello-1767229200 Schedule'],
  effectiveSchedule,
  observedGeneration: 1,
};

test('the largest deadline there is settles as none, though no number counts so far', () => {
  const active = [buildJob(at('01:00:00'))];
  const largest = JSON.parse('9223372036854775807');
  const [forbidding, without] = [{ startingDeadlineSeconds: largest }, {}].map((deadline) =>
    cronJob({ concurrencyPolicy: 'Forbid', ...deadline }, idle),
  );
  expect(reconcile(forbidding!, active, at('02:30:00'))).toEqual(reconcile(without!, active, at('02:30:00')));
});

describe('conclude', () => {
  test('the first reconcile of a new CronJob says when its first run is due, and sleeps until then', () => {
    expect(reconcile(cronJob(), [], at('00:00:00'))).toEqual({
      status: idle,
      events: [],
      retry: false,
      requeueAfterMs: HOUR_MS + SCHEDULE_SLACK_MS,
    });
  });

  test('a reconcile that changes nothing leaves the status equal', () => {
    expect(reconcile(cronJob({}, idle), [], at('00:30:00')).status).toEqual(idle);
    expect(reconcile(cronJob({}, running), [buildJob(at('01:00:00'))], at('01:30:00')).status).toEqual(running);
  });

  test('a started run is active, moves lastScheduleTime and is announced', () => {
    const started: StartResult = { kind: 'Created', job: buildJob(at('01:00:00')) };
    expect(reconcile(cronJob({}, idle), [], at('01:00:00'), started)).toEqual({
      status: running,
      events: [{ type: 'Normal', reason: 'SuccessfulCreate', message: 'Created job hello-1767229200' }],
      retry: false,
      requeueAfterMs: HOUR_MS + SCHEDULE_SLACK_MS,
    });
  });

  test('an adopted run that has finished is not active', () => {
    const job = buildJob(at('01:00:00'), { state: 'Complete', endTime: at('01:00:07') });
    const { status } = reconcile(cronJob({}, idle), [], at('01:01:00'), { kind: 'Adopted', job });
    expect(status).toMatchObject({
      activeCount: 0,
      lastSuccessfulTime: at('01:00:07'),
      lastRun: { result: 'Succeeded' },
    });
    expect(status).not.toHaveProperty('active');
  });

  test('a Job that was adopted and seen already is active once', () => {
    const job = buildJob(at('01:00:00'));
    const seen = { ...job, metadata: { ...job.metadata, annotations: {} } };
    expect(reconcile(cronJob({}, idle), [seen], at('01:00:00'), { kind: 'Adopted', job }).status.activeCount).toBe(1);
  });

  test('a run that completes leaves active and is recorded', () => {
    const job = buildJob(at('01:00:00'), { state: 'Complete', endTime: at('01:00:09') });
    const { status, events } = reconcile(cronJob({}, running), [job], at('01:00:10'));
    const { active: _, ...rest } = running;
    expect(status).toEqual({
      ...rest,
      activeCount: 0,
      lastSuccessfulTime: at('01:00:09'),
      lastRun: { ...running.lastRun, result: 'Succeeded', completionTime: at('01:00:09') },
      recentRuns: ['2026-01-01T01:00:00Z Succeeded hello-1767229200 Schedule took=9s'],
    });
    const message = 'Saw completed job: hello-1767229200, condition: Complete';
    expect(events).toEqual([{ type: 'Normal', reason: 'SawCompletedJob', message }]);
  });

  test('a run that fails is recorded with its reason', () => {
    const job = buildJob(at('01:00:00'), { state: 'Failed', endTime: at('01:00:09') });
    const lastRun = { result: 'Failed', reason: 'BecauseFailed', completionTime: at('01:00:09') };
    expect(reconcile(cronJob({}, running), [job], at('01:00:10')).status).toMatchObject({
      lastFailureTime: at('01:00:09'),
      lastRun,
    });
  });

  test('an older run that ends late does not take the place of the newest one', () => {
    const jobs = [buildJob(at('01:00:00')), buildJob(at('00:00:00'), { state: 'Failed', endTime: at('01:30:00') })];
    expect(reconcile(cronJob({}, running), jobs, at('01:30:00')).status.lastRun).toEqual(running.lastRun);
  });

  test('the times of results never move back', () => {
    const results = { lastSuccessfulTime: at('00:50:00'), lastFailureTime: at('00:50:00') };
    const jobs = [
      buildJob(at('00:10:00'), { state: 'Complete', endTime: at('00:20:00') }),
      buildJob(at('00:11:00'), { state: 'Failed', endTime: at('00:21:00') }),
    ];
    expect(reconcile(cronJob({}, { ...idle, ...results }), jobs, at('00:55:00')).status).toMatchObject(results);
  });

  test('a refused create is announced, moves nothing, and is tried again with back-off or at the next slot', () => {
    expect(reconcile(cronJob({}, idle), [], at('01:00:00'), failedWith({ retryAfterMs: 5000 }))).toEqual({
      status: {
        ...idle,
        nextScheduleTime: at('02:00:00'),
        failedStart: { jobName: 'hello-1767229200', reason: 'Refused', message: 'quota exceeded' },
        reported: [expect.stringMatching(/^FailedStart\/hello-1767229200\//)],
      },
      events: [
        { type: 'Warning', reason: 'FailedCreate', message: 'Error creating job hello-1767229200: quota exceeded' },
      ],
      requeueAfterMs: HOUR_MS + SCHEDULE_SLACK_MS,
      retry: true,
      retryAfterMs: 5000,
    });
  });

  test('a server error is retried without an event', () => {
    const outcome = reconcile(cronJob({}, idle), [], at('01:00:00'), failedWith({ kind: 'Transient' }));
    expect(outcome).toMatchObject({ events: [], retry: true });
  });

  test('a namespace that is going away is left in peace', () => {
    const outcome = reconcile(cronJob({}, idle), [], at('01:00:00'), failedWith({ kind: 'NamespaceTerminating' }));
    expect(outcome).toMatchObject({ events: [] });
    expect(outcome).not.toHaveProperty('requeueAfterMs');
  });

  test('a Job of another owner with the name of the run settles the slot, with one event', () => {
    const { status, events } = reconcile(cronJob({}, idle), [], at('01:00:00'), {
      kind: 'Foreign',
      jobName: 'hello-1767229200',
    });
    expect(status).toMatchObject({ handledThrough: at('01:00:00'), activeCount: 0 });
    expect(status).not.toHaveProperty('lastScheduleTime');
    expect(events).toMatchObject([{ type: 'Warning', reason: 'FailedCreate' }]);
    expect(reconcile(cronJob({}, status), [], at('01:00:01')).events).toEqual([]);
  });

  test('the next reconcile of a slot that waits under Forbid is at its deadline', () => {
    const given = cronJob({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 600 }, running);
    expect(reconcile(given, [buildJob(at('01:00:00'))], at('02:00:00'))).toMatchObject({
      requeueAfterMs: 600_000 + SCHEDULE_SLACK_MS,
      status: { lastScheduleTime: at('01:00:00'), nextScheduleTime: at('03:00:00') },
    });
  });

  test('too many missed slots are given up with a warning, and the next one runs again', () => {
    const given = cronJob({ schedule: '* * * * *' });
    const { status, events, requeueAfterMs } = reconcile(given, [], at('05:00:00'));
    expect(status).toMatchObject({ handledThrough: at('05:00:00'), nextScheduleTime: at('05:01:00') });
    expect(events).toMatchObject([{ type: 'Warning', reason: 'TooManyMissedTimes' }]);
    expect(requeueAfterMs).toBe(60_000 + SCHEDULE_SLACK_MS);
    const next = assess({ cronJob: { ...given, status }, jobs: [] }, new Date(at('05:01:00')));
    expect(decide(next).kind).toBe('Run');
  });

  test('a suspended CronJob has no wake-up and no next run', () => {
    const settled = reconcile(cronJob({ suspend: true }, idle), [], at('01:00:00'));
    expect(settled).not.toHaveProperty('requeueAfterMs');
    expect(settled.status).not.toHaveProperty('nextScheduleTime');
  });

  test('a failed create is tried again no later than its deadline, so that its end is seen', () => {
    const given = cronJob({ startingDeadlineSeconds: 600 }, idle);
    const { requeueAfterMs } = reconcile(given, [], at('01:05:00'), failedWith({}));
    expect(requeueAfterMs).toBe(300_000 + SCHEDULE_SLACK_MS);
  });
});
