import { expect, test } from 'vitest';
import type { CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { createRetryRequest } from './retry.ts';

const MIDNIGHT = 1_767_225_600; // 2026-01-01T00:00:00Z
const LINES = [
  '2026-01-01T05:00:00Z Failed other External took=5s',
  `2026-01-01T04:00:00Z Failed hello-b${MIDNIGHT}-1a2b3 Backfill by=hello-backfill took=5s`,
  '2026-01-01T03:30:00Z Failed hello-r1a2b3c4d5 Manual by=hello-run took=5s',
  `2026-01-01T03:00:00Z Running hello-${MIDNIGHT + 10_800} Schedule`,
  `2026-01-01T02:00:00Z Succeeded hello-${MIDNIGHT + 7_200} Schedule took=5s`,
  `2026-01-01T01:00:00Z Failed hello-${MIDNIGHT + 3_600} Schedule took=5s`,
];

const retry = (jobName?: string, status: CronJobStatus = { recentRuns: LINES }, recentRunsLimit = 10) =>
  createRetryRequest(cronJob({ recentRunsLimit }, status), jobName);
const invalid = (message: string) => ({ kind: 'invalid', message });
const ok = (spec: object, predicate: string) =>
  expect.objectContaining({ kind: 'ok', spec: { cronJobName: 'hello', ...spec }, predicate });

test('repeats the newest failed run of the schedule', () => {
  expect(retry()).toEqual(ok({ scheduledTime: '2026-01-01T01:00:00Z' }, 'repeats the run of Thu 2026-01-01 01:00 UTC'));
});

test.each([
  [
    `hello-${MIDNIGHT + 7_200}`,
    { scheduledTime: '2026-01-01T02:00:00Z' },
    'repeats the run of Thu 2026-01-01 02:00 UTC',
  ],
  [
    `hello-b${MIDNIGHT}-1a2b3`,
    { scheduledTime: '2026-01-01T00:00:00Z' },
    'repeats the run of Thu 2026-01-01 00:00 UTC',
  ],
  ['hello-r1a2b3c4d5', { manual: {} }, 'repeats manual run hello-r1a2b3c4d5'],
])('repeats %s', (jobName, spec, predicate) => {
  expect(retry(jobName)).toEqual(ok(spec, predicate));
});

test.each([
  ['other', 'another client created Job other, so only that client can repeat it; kubectl tcj run starts a run now'],
  [`hello-${MIDNIGHT + 10_800}`, `Job hello-${MIDNIGHT + 10_800} is still running; wait until it ends`],
  // Neither a listed run, nor a time before the listed runs.
  [
    `hello-${MIDNIGHT + 60}`,
    `run hello-${MIDNIGHT + 60} not found; the most recent runs are other, hello-b${MIDNIGHT}-1a2b3, hello-r1a2b3c4d5, hello-${MIDNIGHT + 10_800}, hello-${MIDNIGHT + 7_200}`,
  ],
])('does not repeat %s', (jobName, message) => {
  expect(retry(jobName)).toEqual(invalid(message));
});

test('accepts a run that is older than the listed runs, and a skipped time', () => {
  const jobName = `hello-${MIDNIGHT}`;
  const expected = ok({ scheduledTime: '2026-01-01T00:00:00Z' }, 'repeats the run of Thu 2026-01-01 00:00 UTC');
  expect(retry(jobName, { recentRuns: LINES }, LINES.length)).toEqual(expected);
  expect(retry(jobName, { recentSkips: ['2026-01-01T00:00:00Z Suspended'] })).toEqual(expected);
});

test('finds the last run when the status lists no runs', () => {
  const lastRun = { jobName: `hello-${MIDNIGHT}`, result: 'Failed', scheduledTime: '2026-01-01T00:00:00Z' } as const;
  expect(retry(undefined, { lastRun }, 0)).toMatchObject({ spec: { scheduledTime: '2026-01-01T00:00:00Z' } });
  const manualRun = { jobName: 'hello-m1', result: 'Failed' } as const;
  expect(retry('hello-m1', { lastRun: manualRun }, 0)).toMatchObject({ spec: { manual: {} } });
  expect(retry(undefined, { lastRun: manualRun }, 0)).toMatchObject({ kind: 'invalid' });
});

test('reports that no run has failed', () => {
  expect(retry(undefined, {})).toEqual(invalid('no run of the schedule has failed; to repeat another run, use --run'));
  expect(retry(undefined, { recentRuns: [LINES[4] ?? ''] }, 1)).toEqual(
    invalid('no run of the schedule has failed since Thu 2026-01-01 02:00 UTC; to repeat another run, use --run'),
  );
});

test('names the CronJobRun that asked for the run', () => {
  expect(retry('hello-r1a2b3c4d5')).toMatchObject({ requestedBy: 'hello-run' });
});
