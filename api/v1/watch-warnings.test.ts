import fc from 'fast-check';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { cronJobWarnings } from './cronjob-warnings.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

function warningsOf(object: CronJob, old?: CronJob): readonly string[] {
  return cronJobWarnings(object, { now: NOW, old, failoverSeconds: 15 });
}

const withDeadline = (activeDeadlineSeconds: unknown) => ({
  jobTemplate: { spec: { ...cronJob().spec.jobTemplate.spec, activeDeadlineSeconds } } as CronJobSpec['jobTemplate'],
});
const lateTimeout = (timeout: number, deadline: number) =>
  `spec.startTimeoutSeconds: ${timeout} never applies, because spec.jobTemplate.spec.activeDeadlineSeconds ends the Job ` +
  `after ${deadline}; give less than that, or remove it`;
const tooShort = (given: number, after: string, until: string, seconds: number) =>
  `spec.expectSuccessWithinSeconds: ${given} is too short: no run is due between ${after} and ${until}, ` +
  `so Overdue becomes True; give more than ${seconds} and the time that a run takes`;
const NO_JOB_LEFT =
  'spec.pauseAfterFailures: with a failedJobsHistoryLimit of 0 no failed Job is left to tell why runs failed; give 1 or more';
const NOTHING_LEFT =
  'spec.pauseAfterFailures: with a failedJobsHistoryLimit of 0 neither a failed Job nor an entry in status.recentRuns is ' +
  'left to tell why runs failed; give 1 or more';
const HAS_PASSED =
  'spec.suspendUntil: 2026-01-01T00:00:00Z has passed, and suspends nothing; remove it, or give a later time';
const STAYS_SUSPENDED =
  'spec.suspendUntil: has no effect, because suspend is true and does not end at that time; set suspend to false';

interface Row {
  readonly name: string;
  readonly spec: Partial<CronJobSpec>;
  readonly want: readonly string[];
}

const warned: readonly Row[] = [
  {
    name: 'a start timeout longer than the Job may take',
    spec: { startTimeoutSeconds: 600, ...withDeadline(300) },
    want: [lateTimeout(600, 300)],
  },
  {
    name: 'a start timeout as long as the Job may take',
    spec: { startTimeoutSeconds: 300, ...withDeadline(300) },
    want: [lateTimeout(300, 300)],
  },
  {
    name: 'a success expected each day of the week from runs on workdays',
    spec: { schedule: '0 2 * * 1-5', expectSuccessWithinSeconds: 90_000 },
    want: [tooShort(90_000, '2026-01-02T02:00:00Z', '2026-01-05T02:00:00Z', 259_200)],
  },
  {
    name: 'a success expected as often as a run is due, which leaves it no time',
    spec: { schedule: '* * * * *', expectSuccessWithinSeconds: 60 },
    want: [tooShort(60, '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z', 60)],
  },
  {
    name: 'a success expected each day where the clock goes back',
    spec: { schedule: '0 4 * * *', timeZone: 'Europe/Berlin', expectSuccessWithinSeconds: 88_000 },
    want: [tooShort(88_000, '2026-10-24T02:00:00Z', '2026-10-25T03:00:00Z', 90_000)],
  },
  {
    name: 'a success expected each year from a run every fourth one',
    spec: { schedule: '0 0 29 2 *', expectSuccessWithinSeconds: 366 * 86_400 },
    want: [tooShort(366 * 86_400, '2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z', 1461 * 86_400)],
  },
  {
    name: 'a success expected sooner than @every runs',
    spec: { schedule: '@every 1h', expectSuccessWithinSeconds: 1800 },
    want: [tooShort(1800, '2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', 3600)],
  },
  {
    name: 'a pause for which no failed Job is left',
    spec: { pauseAfterFailures: 3, failedJobsHistoryLimit: 0 },
    want: [NO_JOB_LEFT],
  },
  {
    name: 'a pause for which nothing is left',
    spec: { pauseAfterFailures: 3, failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
    want: [NOTHING_LEFT],
  },
  { name: 'a time to suspend until that is now', spec: { suspendUntil: '2026-01-01T00:00:00Z' }, want: [HAS_PASSED] },
  {
    name: 'a time to suspend until that has passed, in another zone',
    spec: { suspendUntil: '2026-01-01T05:30:00+05:30', suspend: true },
    want: [HAS_PASSED],
  },
  {
    name: 'a time to suspend until that does not end a suspension',
    spec: { suspendUntil: '2026-01-02T00:00:00Z', suspend: true },
    want: [STAYS_SUSPENDED],
  },
];

describe('warns of', () => {
  test.each(warned)('$name', ({ spec, want }) => {
    expect(warningsOf(cronJob(spec))).toEqual(want);
  });

  test.each(warned)('$name when an update brings it about', ({ spec, want }) => {
    expect(warningsOf(cronJob(spec), cronJob({ schedule: '30 * * * *', timeZone: 'Asia/Tokyo' }))).toEqual(want);
  });

  test.each<{ field: string; spec: Partial<CronJobSpec>; old: Partial<CronJobSpec>; want: string }>([
    {
      field: 'activeDeadlineSeconds',
      spec: { startTimeoutSeconds: 60, ...withDeadline(30) },
      old: withDeadline(90),
      want: lateTimeout(60, 30),
    },
    {
      field: 'the schedule',
      spec: { schedule: '0 0 * * *', expectSuccessWithinSeconds: 7200 },
      old: { schedule: '0 * * * *' },
      want: tooShort(7200, '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z', 86_400),
    },
    {
      field: 'the time zone',
      spec: { schedule: '0 4 * * *', timeZone: 'Europe/Berlin', expectSuccessWithinSeconds: 88_000 },
      old: { timeZone: 'Asia/Tokyo' },
      want: tooShort(88_000, '2026-10-24T02:00:00Z', '2026-10-25T03:00:00Z', 90_000),
    },
    {
      field: 'the history limit',
      spec: { pauseAfterFailures: 3, failedJobsHistoryLimit: 0 },
      old: { failedJobsHistoryLimit: 1 },
      want: NO_JOB_LEFT,
    },
    {
      field: 'the limit of recent runs',
      spec: { pauseAfterFailures: 3, failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
      old: { recentRunsLimit: 1 },
      want: NOTHING_LEFT,
    },
  ])('what $field brings about', ({ spec, old, want }) => {
    expect(warningsOf(cronJob(spec), cronJob({ ...spec, ...old }))).toEqual([want]);
  });

  test('a run after which none is due for more than five years', () => {
    const object = cronJob({ schedule: '0 0 29 2 *', expectSuccessWithinSeconds: 86_400 });
    expect(cronJobWarnings(object, { now: new Date('2095-01-01T00:00:00Z'), failoverSeconds: 15 })).toEqual([
      'spec.expectSuccessWithinSeconds: 86400 is too short: no run is due within five years after 2096-02-29T00:00:00Z; ' +
        'change the schedule',
    ]);
  });
});

describe('says nothing of', () => {
  test.each<{ name: string; spec: object }>([
    { name: 'a start timeout alone', spec: { startTimeoutSeconds: 600 } },
    { name: 'a start timeout shorter than the Job may take', spec: { startTimeoutSeconds: 299, ...withDeadline(300) } },
    { name: 'a deadline that is refused', spec: { startTimeoutSeconds: 299, ...withDeadline(0) } },
    { name: 'a start timeout that is refused', spec: { startTimeoutSeconds: 'x', ...withDeadline(300) } },
    {
      name: 'a success expected later than after a weekend',
      spec: { schedule: '0 2 * * 1-5', expectSuccessWithinSeconds: 259_201 },
    },
    { name: 'a success expected every other minute', spec: { schedule: '* * * * *', expectSuccessWithinSeconds: 120 } },
    { name: 'the longest wait for a success', spec: { expectSuccessWithinSeconds: 2 ** 63 } },
    { name: 'a number that is refused', spec: { expectSuccessWithinSeconds: 1.5, pauseAfterFailures: -1 } },
    { name: 'a success of a schedule that is refused', spec: { schedule: 'x', expectSuccessWithinSeconds: 1 } },
    { name: 'a success of a schedule that is no text', spec: { schedule: 5, expectSuccessWithinSeconds: 1 } },
    { name: 'a success in a zone that is refused', spec: { timeZone: 'x', expectSuccessWithinSeconds: 1 } },
    { name: 'a success in a zone that is no text', spec: { timeZone: 5, expectSuccessWithinSeconds: 1 } },
    { name: 'a pause with a failed Job to look at', spec: { pauseAfterFailures: 3, recentRunsLimit: 0 } },
    { name: 'limits of 0 without a pause', spec: { failedJobsHistoryLimit: 0, recentRunsLimit: 0 } },
    { name: 'a suspension that ends later', spec: { suspendUntil: '2026-01-01T00:00:01Z' } },
    { name: 'a time that is refused', spec: { suspendUntil: 'soon', suspend: true } },
    { name: 'a time that is no text', spec: { suspendUntil: 5, suspend: true } },
  ])('$name', ({ spec }) => {
    expect(warningsOf(cronJob(spec))).toEqual([]);
  });

  test.each(warned)('$name when an update changes something else', ({ spec }) => {
    expect(warningsOf(cronJob({ ...spec, successfulJobsHistoryLimit: 9 }), cronJob(spec))).toEqual([]);
  });

  test('a CronJob that is suspended beyond its time, by an update that only suspends it', () => {
    const suspendUntil = '2026-01-02T00:00:00Z';
    expect(warningsOf(cronJob({ suspendUntil, suspend: true }), cronJob({ suspendUntil }))).toEqual([]);
  });

  test('a schedule that never fires, but that it never does', () => {
    const warnings = warningsOf(cronJob({ schedule: '0 0 31 2 *', expectSuccessWithinSeconds: 1 }));
    expect(warnings).toEqual([expect.stringContaining('never fires')]);
  });
});

test('every warning fits into what the API server hands on, whatever is set', () => {
  const aNumber = fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom(2 ** 31 - 1, 2 ** 53, 2 ** 63));
  const aSpec = fc.record({
    schedule: fc.constantFrom('*/7 * * * *', '0 2 * * 1-5', '0 0 29 2 *', '@every 1s', '@every 2562047h', '30 2 1 1 *'),
    timeZone: fc.constantFrom(...TIME_ZONE_NAMES),
    startTimeoutSeconds: aNumber,
    expectSuccessWithinSeconds: aNumber,
    pauseAfterFailures: aNumber,
    failedJobsHistoryLimit: fc.constantFrom(0, 1),
    recentRunsLimit: fc.constantFrom(0, 1),
    suspend: fc.boolean(),
    suspendUntil: fc.constantFrom('2025-01-01T00:00:00.123456789+05:30', '9999-12-31T23:59:59Z'),
    jobTemplate: aNumber.map((seconds) => withDeadline(seconds).jobTemplate),
  });
  fc.assert(
    fc.property(aSpec, (spec) => {
      for (const warning of warningsOf(cronJob(spec))) {
        expect(warning.length, warning).toBeLessThan(256);
        expect(warning).toMatch(/^spec\.\w+: .+; \S/);
      }
    }),
  );
});
