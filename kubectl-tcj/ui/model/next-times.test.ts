import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { listNextTimes } from './next-times.ts';

const NOW = new Date(at('10:07:30'));
const PAUSED = { paused: { reason: 'TooManyFailures', since: at('09:00:00') } } as const;
const RESUME = 'No run starts until you resume the CronJob.';

test.each<readonly [name: string, spec: Partial<CronJobSpec>]>([
  ['of an active CronJob', {}],
  ['from the end of a suspension, including the end', { suspendUntil: at('11:00:00') }],
  ['up to the end of the CronJob', { schedules: ['@daily'], endTime: '2027-01-01T00:00:00Z' }],
])('lists the next times %s', (_, spec) => {
  const { times, reason } = listNextTimes(cronJob(spec), NOW) ?? {};
  expect(times?.map((time) => time.toISOString().slice(11, 16))).toEqual(['11:00', '12:00', '13:00', '14:00', '15:00']);
  expect(reason).toBeUndefined();
});

test.each<readonly [name: string, reason: string, spec: Partial<CronJobSpec>]>([
  ['is suspended', RESUME, { suspend: true }],
  [
    'has ended',
    'No further run starts: spec.endTime was Thu 2026-01-01 10:00 UTC (7m30s ago).',
    { endTime: at('10:00:00') },
  ],
  [
    'ends before its next time',
    'No time of the schedule is left before spec.endTime (Thu 2026-01-01 10:30 UTC (in 22m)).',
    { endTime: at('10:30:00') },
  ],
  [
    'ends during its suspension',
    'No time of the schedule is left before spec.endTime (Thu 2026-01-01 11:30 UTC (in 82m)).',
    { endTime: at('11:30:00'), suspendUntil: at('12:00:00') },
  ],
  [
    'excludes all times',
    'spec.exclude covers every time of the schedule within the next five years.',
    { exclude: [{ schedule: '* * * * *' }] },
  ],
  [
    'has a deadline of 0',
    'Every run is too late to start: spec.startingDeadlineSeconds is 0.',
    { startingDeadlineSeconds: 0 },
  ],
  [
    'has a schedule without times',
    'The schedule matches no time within the next five years.',
    { schedule: '0 0 31 2 *' },
  ],
])('gives the reason that a CronJob has no next times: it %s', (_, reason, spec) => {
  expect(listNextTimes(cronJob(spec), NOW)).toEqual({ times: [], reason });
});

test('lists no times of a paused CronJob', () => {
  expect(listNextTimes(cronJob({}, PAUSED), NOW)).toEqual({ times: [], reason: RESUME });
});

test('lists nothing for an invalid schedule', () => {
  expect(listNextTimes(cronJob({ schedule: 'never' }), NOW)).toBeUndefined();
});
