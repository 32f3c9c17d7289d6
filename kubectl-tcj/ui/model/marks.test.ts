import { expect, test } from 'vitest';
import { formatRecentSkip } from '../../../api/v1/recent-lines.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { marksOf, silentUntil } from './marks.ts';

const NOW = new Date(at('10:07:30'));
const ms = (time: string) => Date.parse(at(time));
const RANGE = { fromMs: ms('08:00:00'), untilMs: ms('12:00:00') };
const RUNS = [
  `${at('10:00:00')} Running run-10 Schedule late=1s`,
  `${at('09:00:00')} Failed run-9 Schedule late=1s took=5m0s BackoffLimitExceeded: Job has failed`,
  `${at('07:00:00')} Succeeded run-7 Schedule late=1s took=1h5m0s`,
  `${at('06:00:00')} Succeeded run-6 Schedule late=1s took=5m0s`,
];

test('shows runs from their start to their end, those that run until now, and none that ended before', () => {
  const { runs } = marksOf(cronJob({}, { recentRuns: RUNS }), RANGE, NOW);
  expect(runs.map(({ run, fromMs, untilMs }) => [run.jobName, fromMs, untilMs])).toEqual([
    ['run-10', ms('10:00:01'), NOW.getTime()],
    ['run-9', ms('09:00:01'), ms('09:05:01')],
    ['run-7', ms('07:00:01'), ms('08:05:01')],
  ]);
});

test('a run without an end that does not run has no width', () => {
  const recentRuns = [`${at('09:00:00')} Unknown run-9 Schedule`];
  const { runs } = marksOf(cronJob({}, { recentRuns }), RANGE, NOW);
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
  const { skips } = marksOf(cronJob({}, { recentSkips }), RANGE, NOW);
  expect(skips.map(({ fromMs, untilMs, skip }) => [fromMs, untilMs, skip.reason])).toEqual([
    [ms('07:00:00'), ms('09:00:00'), 'Suspended'],
  ]);
});

test.each([
  { name: 'those ahead', spec: {}, want: ['11:00:00', '12:00:00'] },
  { name: 'from the end of a suspension on, and with it', spec: { suspendUntil: at('12:00:00') }, want: ['12:00:00'] },
  { name: 'all when the suspension is over', spec: { suspendUntil: at('10:00:00') }, want: ['11:00:00', '12:00:00'] },
  { name: 'none while it is suspended', spec: { suspend: true }, want: [] },
  { name: 'none of a schedule that cannot be read', spec: { schedule: 'never' }, want: [] },
])('of the times that come, shows $name', ({ spec, want }) => {
  const { coming, hasMore, isEmpty } = marksOf(cronJob(spec), RANGE, NOW);
  expect(coming).toEqual(want.map(ms));
  expect(hasMore).toBe(false);
  expect(isEmpty).toBe(want.length === 0);
});

test('says that there are more than can be told apart', () => {
  const until = { fromMs: RANGE.fromMs, untilMs: RANGE.untilMs + 86_400_000 };
  const { coming, hasMore } = marksOf(cronJob({ schedule: '* * * * *' }), until, NOW);
  expect([coming.length, hasMore]).toEqual([300, true]);
});

test('what is before the lists, where they are full, is not known; before it was created there was nothing', () => {
  const full = cronJob({ recentRunsLimit: 4 }, { recentRuns: RUNS });
  const createdAt = (creationTimestamp: string) => ({ ...full, metadata: { ...full.metadata, creationTimestamp } });
  const day = { ...RANGE, fromMs: ms('00:00:00') };
  const unknown = (each: typeof full) => marksOf(each, day, NOW).unknown;
  expect(unknown(createdAt('2020-01-01T00:00:00Z'))).toEqual({ fromMs: day.fromMs, untilMs: ms('06:00:00') });
  expect(unknown(createdAt(at('05:00:00')))).toEqual({ fromMs: ms('05:00:00'), untilMs: ms('06:00:00') });
  expect(unknown(createdAt(at('06:00:00')))).toBeUndefined();
  expect(unknown(cronJob({}, { recentRuns: RUNS }))).toBeUndefined();
});

test('a time of which nothing is known may have had something', () => {
  const full = cronJob({ recentRunsLimit: 4, suspend: true }, { recentRuns: RUNS });
  const old = { ...full, metadata: { ...full.metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
  const before = { fromMs: ms('00:00:00'), untilMs: ms('01:00:00') };
  expect(marksOf(old, before, NOW).isEmpty).toBe(false);
  expect(marksOf(cronJob({ suspend: true }, { recentRuns: RUNS }), before, NOW).isEmpty).toBe(true);
});

test.each([
  { name: 'one that runs', spec: {}, status: {}, want: undefined },
  { name: 'one that is suspended', spec: { suspend: true }, status: {}, want: Number.POSITIVE_INFINITY },
  {
    name: 'one that is suspended for a time',
    spec: { suspendUntil: at('12:00:00') },
    status: {},
    want: ms('12:00:00'),
  },
  { name: 'one that was', spec: { suspendUntil: at('10:00:00') }, status: {}, want: undefined },
  {
    name: 'one that is paused',
    spec: {},
    status: { paused: { reason: 'TooManyFailures', since: at('09:00:00') } } as const,
    want: Number.POSITIVE_INFINITY,
  },
])('the silence of $name', ({ spec, status, want }) => {
  expect(silentUntil(cronJob(spec, status), NOW)).toBe(want);
});

test('a silence begins when it was paused or suspended, as far as the status tells', () => {
  const since = (...given: Parameters<typeof cronJob>) => marksOf(cronJob(...given), RANGE, NOW).silence?.fromMs;
  const suspended = { type: 'Available', status: 'False', reason: 'Suspended', message: '' } as const;
  const conditions = [{ ...suspended, lastTransitionTime: at('08:30:00') }];
  expect(since({}, { paused: { reason: 'TooManyFailures', since: at('09:00:00') } })).toBe(ms('09:00:00'));
  expect(since({ suspend: true }, { conditions })).toBe(ms('08:30:00'));
  expect(since({ suspend: true })).toBe(NOW.getTime());
  expect(since()).toBeUndefined();
});
