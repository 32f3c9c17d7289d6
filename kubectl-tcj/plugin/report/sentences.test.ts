import { expect, test } from 'vitest';
import { parseRecentRun } from '../../../api/v1/recent-lines.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { describeRun, describeSkippedRuns } from './sentences.ts';

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

test.each([
  ['hello-1767225600 Schedule', 'The run of Thu 2026-01-01 00:00 UTC'],
  ['hello-m1 Manual', 'The manual run at Thu 2026-01-01 00:00 UTC'],
  ['hello-r1 Manual by=hello-run-1', 'The manual run at Thu 2026-01-01 00:00 UTC (CronJobRun hello-run-1)'],
  [
    'hello-b1767139200-1a2b3 Backfill by=hello-retry-1',
    'The requested run of Wed 2025-12-31 00:00 UTC (CronJobRun hello-retry-1)',
  ],
  ['hello-b Backfill', 'The requested run at Thu 2026-01-01 00:00 UTC'],
  ['other External', 'The run that another client started at Thu 2026-01-01 00:00 UTC'],
])('names the run %j', (words, name) => {
  const run = parseRecentRun(`2026-01-01T00:00:00Z Succeeded ${words} took=5s`);
  expect(run && describeRun(cronJob(), run)).toBe(`${name} succeeded after 5s.`);
});
