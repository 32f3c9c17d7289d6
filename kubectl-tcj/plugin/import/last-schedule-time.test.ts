import type { Job } from 'controller-runtime/kubernetes';
import { expect, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { at, buildJob, cronJob } from '../../../test/support/cron-jobs.ts';
import { reconcileAt, time, worldAfterReconciles } from '../../../test/support/reconciles-at.ts';
import { computeLastScheduleTime } from './last-schedule-time.ts';
import { createSource as batchCronJob } from './testing/sources.ts';

const source = (schedule: string, lastScheduleTime?: string) =>
  batchCronJob({ schedule, timeZone: 'UTC' }, { creationTimestamp: at('00:10:00') }, { lastScheduleTime });

const imported = (takenOver: string, status = {}) =>
  cronJob({}, status, { annotations: { [TAKES_OVER_FROM_ANNOTATION]: at(takenOver) } });
const jobAt = (time: string) =>
  ({ metadata: { annotations: { [SCHEDULED_AT_ANNOTATION]: at(time) } } }) as unknown as Job; // the fields that are read

/** Before the handled time of each case, so that no scheduled time is missed since then. */
const NOW = new Date(at('00:00:00'));

test.each([
  ['nothing ran anywhere', source('0 * * * *'), imported('00:10:00'), [], undefined],
  ['nothing was due between its creation and the import', source('0 * * * *'), imported('00:55:30'), [], undefined],
  ['batch/v1 missed a time before the import', source('0 * * * *'), imported('01:20:30'), [], at('01:00:00')],
  ['the last run was in batch/v1', source('0 * * * *', at('01:00:00')), imported('01:00:00'), [], undefined],
  [
    'a run of this operator, in the status',
    source('0 * * * *'),
    imported('00:10:00', { lastScheduleTime: at('02:00:00') }),
    [],
    at('02:00:00'),
  ],
  [
    'times that this operator missed',
    source('0 * * * *'),
    imported('00:10:00', { handledThrough: at('04:30:00') }),
    [],
    at('04:00:00'),
  ],
  [
    'a run of this operator, only in its Job',
    source('0 * * * *'),
    imported('00:10:00'),
    [jobAt('03:00:00')],
    at('03:00:00'),
  ],
  ['an interval', source('@every 1h'), imported('00:10:00'), [jobAt('03:07:00')], at('03:07:00')],
  ['an interval, and nothing ran', source('@every 1h'), imported('00:10:00'), [], undefined],
])('%s', (_, batch, own, jobs, time) => {
  expect(computeLastScheduleTime(own, batch, { ownJobs: jobs, now: NOW })).toBe(time);
});

test('reads the scheduled time from the Jobs of this operator', () => {
  const ownJobs = [buildJob(at('05:00:00'))];
  expect(computeLastScheduleTime(imported('00:10:00'), source('0 * * * *'), { ownJobs, now: NOW })).toBe(
    at('05:00:00'),
  );
});

/** The imported CronJob after reconciles and after its suspension at 05:10 by the revert. */
function suspended(spec: Partial<CronJobSpec>, ...times: readonly string[]): CronJob {
  const world = worldAfterReconciles(spec, ...times);
  world.edit({ ...spec, suspend: true });
  reconcileAt(world, '05:10');
  return world.cronJob;
}

const RUNS = ['01:00', '01:05 Complete', '02:00', '02:05 Complete'] as const;

test.each<
  readonly [name: string, spec: Partial<CronJobSpec>, schedule: string, times: readonly string[], want: string]
>([
  ['an ended CronJob', { endTime: at('02:30:00') }, '0 * * * *', RUNS, '05:00'],
  ['an ended CronJob with an interval', { schedule: '@every 1h', endTime: at('02:30:00') }, '@every 1h', RUNS, '05:00'],
  ['a CronJob before its start', { startTime: at('09:30:00') }, '0 * * * *', ['02:00'], '05:00'],
  ['a CronJob with excluded times', { exclude: [{ schedule: '* 3-9 * * *' }] }, '0 * * * *', RUNS, '05:00'],
  ['a CronJob whose deadline is 0', { startingDeadlineSeconds: 0 }, '0 * * * *', ['02:00'], '05:00'],
  ['a CronJob with another schedule', { schedule: '30 1 * * *' }, '0 * * * *', ['01:30'], '05:00'],
  ['a paused CronJob', { pauseAfterFailures: 1 }, '0 * * * *', ['01:00', '01:05 Failed', '04:30'], '05:00'],
  ['a CronJob, except for the run that is due', {}, '0 * * * *', RUNS, '02:00'],
])('no run of a past time starts in batch/v1 after the revert of %s', (_, spec, schedule, times, want) => {
  const input = { ownJobs: [], now: time('05:10:30') };
  expect(computeLastScheduleTime(suspended(spec, ...times), source(schedule), input)).toBe(at(`${want}:00`));
});
