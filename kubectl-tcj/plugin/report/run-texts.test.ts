import { expect, test } from 'vitest';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { formatLastRun, formatNextRun } from './run-texts.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const scheduled = { result: 'Failed', jobName: 'hello-1', scheduledTime: '2026-01-01T00:50:00Z' } as const;
const byHand = { result: 'Succeeded', jobName: 'hello-m1', completionTime: '2026-01-01T00:59:30Z' } as const;

test.each([
  [undefined, undefined],
  [scheduled, 'Failed 10m ago'],
  [{ ...scheduled, startTime: '2026-01-01T00:55:00Z' }, 'Failed 5m ago'],
  [{ ...scheduled, completionTime: '2026-01-01T00:59:00Z' }, 'Failed 60s ago'],
  [{ ...scheduled, result: 'Running' as const, startTime: '2026-01-01T00:55:00Z' }, 'Running for 5m'],
  [byHand, 'Succeeded 30s ago (manual)'],
])('formats the last run %j as %j', (lastRun, text) => {
  expect(formatLastRun(cronJob({}, lastRun && { lastRun }), NOW)).toBe(text);
});

test('reads the trigger of a run from the list', () => {
  const recentRuns = ['2026-01-01T00:50:00Z Failed hello-10 Schedule', '2026-01-01T00:50:00Z Failed hello-1 External'];
  expect(formatLastRun(cronJob({}, { lastRun: scheduled, recentRuns }), NOW)).toBe('Failed 10m ago (external)');
});

test('marks a run that a CronJobRun asked for', () => {
  const lastRun = { result: 'Failed', jobName: 'hello-b1-1a2b3', completionTime: '2026-01-01T00:59:00Z' } as const;
  const recentRuns = ['2026-01-01T00:58:00Z Failed hello-b1-1a2b3 Backfill by=hello-retry took=1m0s'];
  expect(formatLastRun(cronJob({}, { lastRun, recentRuns }), NOW)).toBe('Failed 60s ago (backfill)');
});

test.each([
  [undefined, undefined],
  ['2026-01-01T01:05:00Z', 'in 5m'],
  ['2026-01-01T01:00:00Z', 'now'],
  ['2026-01-01T00:59:00Z', 'now'],
])('formats the next run at %j as %j', (nextScheduleTime, text) => {
  expect(formatNextRun(cronJob({}, nextScheduleTime === undefined ? {} : { nextScheduleTime }), NOW)).toBe(text);
});
