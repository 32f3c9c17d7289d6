import type { Job } from 'controller-runtime/kubernetes';
import { expect, test } from 'vitest';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { at, buildJob, cronJob } from '../../../test/support/cron-jobs.ts';
import { computeLastScheduleTime } from './last-schedule-time.ts';
import { createSource as batchCronJob } from './testing/sources.ts';

const source = (schedule: string, lastScheduleTime?: string) =>
  batchCronJob({ schedule, timeZone: 'UTC' }, { creationTimestamp: at('00:10:00') }, { lastScheduleTime });

const imported = (takenOver: string, status = {}) =>
  cronJob({}, status, { annotations: { [TAKES_OVER_FROM_ANNOTATION]: at(takenOver) } });
const jobAt = (time: string) =>
  ({ metadata: { annotations: { [SCHEDULED_AT_ANNOTATION]: at(time) } } }) as unknown as Job; // the fields that are read

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
  expect(computeLastScheduleTime(own, batch, jobs)).toBe(time);
});

test('reads the scheduled time from the Jobs of this operator', () => {
  expect(computeLastScheduleTime(imported('00:10:00'), source('0 * * * *'), [buildJob(at('05:00:00'))])).toBe(
    at('05:00:00'),
  );
});
