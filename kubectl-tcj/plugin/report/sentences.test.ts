import { expect, test } from 'vitest';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { describeSkippedRuns } from './sentences.ts';

const NOW = new Date(at('00:30:00'));

test.each([
  ['none', {}, '00:59:00', 'The suspension skips no runs.'],
  // The run at the end time of the suspension starts.
  ['none before the end', {}, '01:00:00', 'The suspension skips no runs.'],
  ['one', {}, '01:00:01', 'The suspension skips one run: Thu 2026-01-01 01:00 UTC.'],
  ['some', {}, '03:30:00', 'The suspension skips 3 runs, the first at Thu 2026-01-01 01:00 UTC.'],
  [
    'many',
    { schedule: '@every 1s' },
    '03:30:00',
    'The suspension skips more than 1000 runs, the first at Thu 2026-01-01 00:30:01 UTC.',
  ],
  ['those of no schedule', { schedule: 'never' }, '03:30:00', undefined],
])('%s', (_, spec, until, want) => {
  expect(describeSkippedRuns(cronJob(spec), NOW, new Date(at(until)))).toBe(want);
});
