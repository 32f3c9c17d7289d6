import { expect, test } from 'vitest';
import { formatRecentSkip } from '../../../api/v1/recent-lines.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { computeMarks, getInactiveUntilMs } from './timeline-marks.ts';

const NOW = new Date(at('10:07:30'));
const ms = (time: string) => Date.parse(at(time));
const RANGE = { fromMs: ms('08:00:00'), untilMs: ms('12:00:00') };
const RUNS = [
  `${at('10:00:00')} Running run-10 Schedule late=1s`,
  `${at('09:00:00')} Failed run-9 Schedule late=1s took=5m0s BackoffLimitExceeded: Job has failed`,
  `${at('07:00:00')} Succeeded run-7 Schedule late=1s took=1h5m0s`,
  `${at('06:00:00')} Succeeded run-6 Schedule late=1s took=5m0s`,
];

test('shows a run from its start to its end, a running one until now, and leaves out runs that ended before the range', () => {
  const { runs } = computeMarks(cronJob({}, { recentRuns: RUNS }), RANGE, NOW);
  expect(runs.map(({ run, fromMs, untilMs }) => [run.jobName, fromMs, untilMs])).toEqual([
    ['run-10', ms('10:00:01'), NOW.getTime()],
    ['run-9', ms('09:00:01'), ms('09:05:01')],
    ['run-7', ms('07:00:01'), ms('08:05:01')],
  ]);
});

test('gives no width to a run that is not running and has no end', () => {
  const recentRuns = [`${at('09:00:00')} Unknown run-9 Schedule`];
  const { runs } = computeMarks(cronJob({}, { recentRuns }), RANGE, NOW);
  expect(runs.map(({ fromMs, untilMs }) => untilMs - fromMs)).toEqual([0]);
});

test('shows skips with the range of their times', () => {
  const recentSkips = [
    formatRecentSkip({
      firstTime: new Date(at('07:00:00')),
      lastTime: new Date(at('09:00:00')),
      count: 3,
      reason: 'Suspended',
    }),
  ];
  const { skips } = computeMarks(cronJob({}, { recentSkips }), RANGE, NOW);
  expect(skips.map(({ fromMs, untilMs, skip }) => [fromMs, untilMs, skip.reason])).toEqual([
    [ms('07:00:00'), ms('09:00:00'), 'Suspended'],
  ]);
});

test.each([
  { name: 'the future times', spec: {}, want: ['11:00:00', '12:00:00'] },
  {
    name: 'the times from the end of a suspension, including the end',
    spec: { suspendUntil: at('12:00:00') },
    want: ['12:00:00'],
  },
  { name: 'all times after a suspension', spec: { suspendUntil: at('10:00:00') }, want: ['11:00:00', '12:00:00'] },
  { name: 'no times while suspended', spec: { suspend: true }, want: [] },
  { name: 'no times of an invalid schedule', spec: { schedule: 'never' }, want: [] },
])('shows as upcoming: $name', ({ spec, want }) => {
  const { upcomingMs, hasMoreUpcoming, isEmpty } = computeMarks(cronJob(spec), RANGE, NOW);
  expect(upcomingMs).toEqual(want.map(ms));
  expect(hasMoreUpcoming).toBe(false);
  expect(isEmpty).toBe(want.length === 0);
});

test('shows no upcoming times with a deadline of 0', () => {
  const { upcomingMs, isEmpty } = computeMarks(cronJob({ startingDeadlineSeconds: 0 }), RANGE, NOW);
  expect({ upcomingMs, isEmpty }).toEqual({ upcomingMs: [], isEmpty: true });
});

test('shows the start of a run that waits out its delay, and the delayed starts of later times', () => {
  // The UID has a delay of 533 seconds.
  const delayed = cronJob({ jitterSeconds: 1800 }, { lastScheduleTime: at('09:00:00') });
  expect(computeMarks(delayed, RANGE, NOW).upcomingMs).toEqual([ms('10:08:53'), ms('11:08:53')]);
  const started = cronJob({ jitterSeconds: 1800 }, { lastScheduleTime: at('10:00:00') });
  expect(computeMarks(started, RANGE, NOW).upcomingMs).toEqual([ms('11:08:53')]);
});

test('limits the upcoming times and reports that there are more', () => {
  const until = { fromMs: RANGE.fromMs, untilMs: RANGE.untilMs + 86_400_000 };
  const { upcomingMs, hasMoreUpcoming } = computeMarks(cronJob({ schedule: '* * * * *' }), until, NOW);
  expect([upcomingMs.length, hasMoreUpcoming]).toEqual([300, true]);
});

test('has no data for the time before a full list, and needs none for the time before the creation', () => {
  const fullHistory = cronJob({ recentRunsLimit: 4 }, { recentRuns: RUNS });
  const createdAt = (creationTimestamp: string) => ({
    ...fullHistory,
    metadata: { ...fullHistory.metadata, creationTimestamp },
  });
  const day = { ...RANGE, fromMs: ms('00:00:00') };
  const unknown = (listed: typeof fullHistory) => computeMarks(listed, day, NOW).unknownRange;
  expect(unknown(createdAt('2020-01-01T00:00:00Z'))).toEqual({ fromMs: day.fromMs, untilMs: ms('06:00:00') });
  expect(unknown(createdAt(at('05:00:00')))).toEqual({ fromMs: ms('05:00:00'), untilMs: ms('06:00:00') });
  expect(unknown(createdAt(at('06:00:00')))).toBeUndefined();
  expect(unknown(cronJob({}, { recentRuns: RUNS }))).toBeUndefined();
});

test('is not empty in a range without data', () => {
  const fullHistory = cronJob({ recentRunsLimit: 4, suspend: true }, { recentRuns: RUNS });
  const oldCronJob = {
    ...fullHistory,
    metadata: { ...fullHistory.metadata, creationTimestamp: '2020-01-01T00:00:00Z' },
  };
  const before = { fromMs: ms('00:00:00'), untilMs: ms('01:00:00') };
  expect(computeMarks(oldCronJob, before, NOW).isEmpty).toBe(false);
  expect(computeMarks(cronJob({ suspend: true }, { recentRuns: RUNS }), before, NOW).isEmpty).toBe(true);
});

test.each([
  { name: 'an active CronJob', spec: {}, status: {}, want: undefined },
  { name: 'a suspended CronJob', spec: { suspend: true }, status: {}, want: Number.POSITIVE_INFINITY },
  {
    name: 'a CronJob that is suspended until a time',
    spec: { suspendUntil: at('12:00:00') },
    status: {},
    want: ms('12:00:00'),
  },
  { name: 'a CronJob whose suspension has ended', spec: { suspendUntil: at('10:00:00') }, status: {}, want: undefined },
  {
    name: 'a paused CronJob',
    spec: {},
    status: { paused: { reason: 'TooManyFailures', since: at('09:00:00') } } as const,
    want: Number.POSITIVE_INFINITY,
  },
])('returns the end of the inactive time of $name', ({ spec, status, want }) => {
  expect(getInactiveUntilMs(cronJob(spec, status), NOW)).toBe(want);
});

test('is inactive since the time of the pause or suspension in the status', () => {
  const since = (...args: Parameters<typeof cronJob>) =>
    computeMarks(cronJob(...args), RANGE, NOW).inactiveRange?.fromMs;
  const suspended = { type: 'Available', status: 'False', reason: 'Suspended', message: '' } as const;
  const conditions = [{ ...suspended, lastTransitionTime: at('08:30:00') }];
  expect(since({}, { paused: { reason: 'TooManyFailures', since: at('09:00:00') } })).toBe(ms('09:00:00'));
  expect(since({ suspend: true }, { conditions })).toBe(ms('08:30:00'));
  expect(since({ suspend: true })).toBe(NOW.getTime());
  expect(since()).toBeUndefined();
});
