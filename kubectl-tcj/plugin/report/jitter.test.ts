import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { predictJitterEffect, suggestJitterSeconds } from './jitter.ts';

const NOW = new Date(at('00:30:00'));

test.each<[name: string, spec: Partial<CronJobSpec>, want: number | undefined]>([
  ['30 minutes for a daily schedule', { schedule: '0 2 * * *' }, 1800],
  ['less than the shortest gap', { schedule: '0,10 2 * * *' }, 599],
  ['30 minutes for a schedule with one slot', { schedule: '0 2 * * *', endTime: at('03:00:00') }, 1800],
  ['nothing for a schedule for every minute', { schedule: '* * * * *' }, undefined],
  ['nothing for a CronJob with a jitter', { schedule: '0 2 * * *', jitterSeconds: 10 }, undefined],
  ['nothing for an invalid schedule', { schedule: 'now' }, undefined],
])('suggests %s', (_, spec, want) => {
  expect(suggestJitterSeconds(cronJob(spec).spec, NOW)).toBe(want);
});

/** CronJobs with different UIDs, and thus with different delays. */
function createMany(count: number, spec: Partial<CronJobSpec>) {
  return Array.from({ length: count }, (_, index) => cronJob(spec, undefined, { uid: `0b9f0e1a-${index}` }));
}

test('predicts how many runs would start in one minute', () => {
  const nightly = createMany(12, { schedule: '0 2 * * *' });
  expect(predictJitterEffect(nightly, NOW)).toEqual({ jitterSeconds: 1800, hasShorter: false, maxPerMinute: 2 });
});

test('a schedule with short gaps gets a shorter jitter, and a schedule for every minute stays', () => {
  const cronJobs = [
    ...createMany(6, { schedule: '*/5 * * * *' }),
    ...createMany(6, { schedule: '0 2 * * *' }),
    ...createMany(3, { schedule: '* * * * *' }),
  ];
  expect(predictJitterEffect(cronJobs, NOW)).toMatchObject({ jitterSeconds: 1800, hasShorter: true });
});

test('predicts nothing if no jitter would reduce the number of runs', () => {
  expect(predictJitterEffect(createMany(3, { schedule: '* * * * *' }), NOW)).toBeUndefined();
  expect(predictJitterEffect([], NOW)).toBeUndefined();
});
