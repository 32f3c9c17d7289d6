import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import { at, buildJob, cronJob as cronJobOf } from '../../test/support/cron-jobs.ts';
import { listJobsToPrune } from './history.ts';
import { toRun } from './job.ts';

const stored: CronJobStatus = {
  lastScheduleTime: at('09:00:00'),
  lastSuccessfulTime: at('09:00:00'),
  lastFailureTime: at('09:00:00'),
};
/** With a limit of 0 runs, because otherwise the list would have to contain each run. */
const cronJob: typeof cronJobOf = (spec, ...others) => cronJobOf({ recentRunsLimit: 0, ...spec }, ...others);
const complete = (time: string) => toRun(buildJob(at(time), { state: 'Complete' }));
const failed = (time: string) => toRun(buildJob(at(time), { state: 'Failed' }));
const startTimes = (given: ReturnType<typeof listJobsToPrune>) =>
  given.map((job) => job.status?.startTime?.slice(11, 19));

describe('history', () => {
  test('deletes the oldest Jobs beyond each limit, and counts successful and failed Jobs separately', () => {
    const runs = [
      complete('03:00:00'),
      failed('02:00:00'),
      complete('01:00:00'),
      failed('04:00:00'),
      complete('05:00:00'),
    ];
    const given = cronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }, stored);
    expect(startTimes(listJobsToPrune(given, runs))).toEqual(['01:00:00', '03:00:00', '02:00:00']);
  });

  test('a limit of 0 keeps none', () => {
    const given = cronJob({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }, stored);
    expect(listJobsToPrune(given, [complete('01:00:00'), failed('02:00:00')])).toHaveLength(2);
  });

  test('a Job without a start time is the last to go', () => {
    const neverStarted = buildJob(at('01:00:00'), { state: 'Failed' });
    const { startTime: _, ...status } = neverStarted.status ?? {};
    const given = cronJob({ failedJobsHistoryLimit: 1 }, stored);
    const runs = [toRun({ ...neverStarted, status }), failed('02:00:00')];
    expect(startTimes(listJobsToPrune(given, runs))).toEqual(['02:00:00']);
  });

  test('of Jobs that started at the same time, names decide', () => {
    const [first, second] = ['01:00:00', '02:00:00'].map((time) =>
      toRun(buildJob(at(time), { state: 'Failed', startTime: at('02:00:00') })),
    );
    if (!first || !second) throw new Error('no runs');
    const given = cronJob({ failedJobsHistoryLimit: 1 }, stored);
    expect(listJobsToPrune(given, [second, first])).toEqual([first.job]);
    expect(listJobsToPrune(given, [first, second])).toEqual([first.job]);
  });

  test('a Job that has no slot and was not asked for by hand needs no account', () => {
    const job = buildJob(at('01:00:00'), { state: 'Complete' });
    const foreign = toRun({ ...job, metadata: { ...job.metadata, annotations: {} } });
    expect(listJobsToPrune(cronJob({ successfulJobsHistoryLimit: 0 }, stored), [foreign])).toHaveLength(1);
    expect(listJobsToPrune(cronJob({ successfulJobsHistoryLimit: 0 }), [foreign])).toHaveLength(0);
  });

  test('keeps the Job that alone shows that the run-now annotation was served, and no other made by hand', () => {
    const given = cronJob(
      { successfulJobsHistoryLimit: 0 },
      { ...stored, observedGeneration: 1, lastManualRun: 'first' },
    );
    const metadata = { ...given.metadata, annotations: { [RUN_NOW_ANNOTATION]: 'second' } };
    const madeFor = (value: string) => {
      const job = buildJob(at('01:00:00'), { state: 'Complete' });
      return toRun({ ...job, metadata: { ...job.metadata, name: toManualJobName(given, value), annotations: {} } });
    };
    const [first, second] = [madeFor('first'), madeFor('second')];
    expect(listJobsToPrune({ ...given, metadata }, [first, second])).toEqual([first.job]);
  });

  test('leaves active Jobs and Jobs that are being deleted alone', () => {
    const given = cronJob({ successfulJobsHistoryLimit: 0 }, stored);
    const going = toRun(buildJob(at('01:00:00'), { state: 'Complete', isBeingDeleted: true }));
    expect(listJobsToPrune(given, [going, toRun(buildJob(at('02:00:00')))])).toEqual([]);
  });

  test.each([
    ['slot', { ...stored, lastScheduleTime: at('00:00:00') }],
    ['result', { ...stored, lastSuccessfulTime: at('00:00:00') }],
  ])('keeps a Job until its %s is in the stored status, so that its slot never runs again', (_, status) => {
    const given = cronJob({ successfulJobsHistoryLimit: 0 }, status);
    expect(listJobsToPrune(given, [complete('01:00:00')])).toEqual([]);
  });

  test('takes a result for recorded that the API server was given and does not keep, but not a slot', () => {
    const { lastScheduleTime, ...others } = stored;
    const given = (status: CronJobStatus) => cronJob({ successfulJobsHistoryLimit: 0 }, status);
    const runs = [complete('01:00:00')];
    expect(listJobsToPrune(given({ lastScheduleTime }), runs, stored)).toHaveLength(1);
    expect(listJobsToPrune(given(others), runs, stored)).toEqual([]);
  });

  test('keeps a Job until the stored status has a list with its run, unless there is to be none', () => {
    const given = (recentRunsLimit: number) => cronJob({ successfulJobsHistoryLimit: 0, recentRunsLimit }, stored);
    const runs = [complete('01:00:00')];
    expect(listJobsToPrune(given(1), runs)).toEqual([]);
    expect(listJobsToPrune(given(0), runs)).toHaveLength(1);
  });

  test('deletes no Job while the CronJob is being deleted', () => {
    const given = cronJob({ successfulJobsHistoryLimit: 0 }, stored, { deletionTimestamp: at('01:30:00') });
    expect(listJobsToPrune(given, [complete('01:00:00')])).toEqual([]);
  });
});
