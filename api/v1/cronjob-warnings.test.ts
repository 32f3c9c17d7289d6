import fc from 'fast-check';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { getCronJobWarnings } from './cronjob-warnings.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const DAY = 86_400;

/** Without the warning about the starts that an update changes, which start-warnings.test.ts tests. */
const warningsOf = (object: CronJob, old?: CronJob, now = NOW) =>
  getCronJobWarnings(object, { now, oldCronJob: old, failoverSeconds: 15 }).filter(
    (warning) => !warning.startsWith('this edit '),
  );

/** A template whose Jobs have `spec`, and whose Pods have `podSpec`. */
function withJob(spec: object, podSpec: object = {}): Pick<CronJobSpec, 'jobTemplate'> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...podSpec } };
  return { jobTemplate: { spec: { template, ...spec } } };
}
const withDeadline = (activeDeadlineSeconds: number) => withJob({ activeDeadlineSeconds });

const NEVER = { schedule: '0 0 31 2 *' };
const NEVER_FIRES =
  'spec.schedule: never fires: no date within five years matches; change day of month or month, or set suspend to stop it';
const EITHER_DAY =
  'spec.schedule: day of month and day of week are both given, so a run starts on each day that matches one of them; ' +
  'make one of them * unless you want this';
const FORBID = { concurrencyPolicy: 'Forbid' } as const;
const HANGING_RUN =
  'spec.concurrencyPolicy: with Forbid a run that hangs blocks all later runs for ever; ' +
  'set spec.jobTemplate.spec.activeDeadlineSeconds to the maximum duration of a run';
const HANGING_AFTER_START = HANGING_RUN.replace('hangs', 'hangs after its start');
const STARTS_NOTHING =
  'spec.startingDeadlineSeconds: 0 starts nothing; remove it, or give the seconds that a run may be late';
const shortDeadline = (seconds: number) =>
  `spec.startingDeadlineSeconds: ${seconds} is less than the 15 s for which there may be no leader, ` +
  'and runs that are due in this time are lost; give 15 or more';
const shortLife = (seconds: number) =>
  `spec.jobTemplate.spec.ttlSecondsAfterFinished: ${seconds} may delete a Job before the controller reads its result, ` +
  'for example while the leader changes; give 60 or more, or use the history limits';
const IN_BERLIN = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };
const SKIPPED =
  'spec.schedule: in Europe/Berlin 2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00; ' +
  'choose another time if that run matters';
const DOUBLED =
  'spec.schedule: in Europe/Berlin 2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00; ' +
  'choose another time if it must run only once';
const lateTimeout = (timeout: number, deadline: number) =>
  `spec.startTimeoutSeconds: ${timeout} never applies, because spec.jobTemplate.spec.activeDeadlineSeconds ends the Job ` +
  `after ${deadline}; give less than that, or remove it`;
const tooShort = (given: number, after: string, until: string, seconds: number) =>
  `spec.expectSuccessWithinSeconds: ${given} is too short: no run is due between ${after} and ${until}, ` +
  `so Overdue becomes True; give more than ${seconds} and the time that a run takes`;
const AT_FOUR = { schedule: '0 4 * * *', timeZone: 'Europe/Berlin', expectSuccessWithinSeconds: 88_000 };
const TOO_SHORT_AT_FOUR = tooShort(88_000, '2026-10-24T02:00:00Z', '2026-10-25T03:00:00Z', 90_000);
const NO_JOB_LEFT =
  'spec.pauseAfterFailures: with a failedJobsHistoryLimit of 0 no failed Job is left that shows why runs failed; give 1 or more';
const NOTHING_LEFT =
  'spec.pauseAfterFailures: with a failedJobsHistoryLimit of 0 neither a failed Job nor an entry in status.recentRuns is ' +
  'left that shows why runs failed; give 1 or more';
const HAS_PASSED =
  'spec.suspendUntil: 2026-01-01T00:00:00Z has passed, so it suspends nothing; remove it, or give a later time';
const STAYS_SUSPENDED =
  'spec.suspendUntil: has no effect, because suspend is true and does not end at that time; set suspend to false';

const HAS_ENDED = 'spec.endTime: 2026-01-01T00:00:00Z has passed, so no run starts; give a later time, or remove it';
const ALL_EXCLUDED = 'spec.exclude: covers every time of the schedule, so no run starts; remove an exclusion';

const warned: readonly (readonly [name: string, spec: Partial<CronJobSpec>, want: readonly string[]])[] = [
  ['a date that never comes', NEVER, [NEVER_FIRES]],
  ['a date that never comes, and of it nothing else', { ...IN_BERLIN, schedule: '30 2 31 2 *' }, [NEVER_FIRES]],
  ['both day fields', { schedule: '0 0 13 * 5' }, [EITHER_DAY]],
  [
    'both day fields of another schedule',
    { schedules: ['0 0 13 * 5'] },
    [EITHER_DAY.replace('spec.schedule', 'spec.schedules[0]')],
  ],
  [
    'a change of the clock only as far as daylightSaving does not settle it',
    { ...IN_BERLIN, daylightSaving: { repeatedTimes: 'RunOnce' } },
    [SKIPPED],
  ],
  [
    'a jitter as long as the time between two runs',
    { schedule: '*/10 * * * *', jitterSeconds: 600 },
    ['spec.jitterSeconds: 600 is not less than the 600 s between two scheduled times; give 599 or less'],
  ],
  ['an end that is now', { endTime: '2026-01-01T00:00:00Z' }, [HAS_ENDED]],
  [
    'an end before the first time',
    { schedule: '0 0 1 2 *', endTime: '2026-01-20T00:00:00Z' },
    ['spec.endTime: no time of the schedule is before 2026-01-20T00:00:00Z; give a later time, or remove it'],
  ],
  [
    'exclusions of all times of more than a year',
    { schedule: '0 0 * * *', exclude: [{ startTime: '2025-12-01T00:00:00Z', endTime: '2027-02-01T00:00:00Z' }] },
    ['spec.exclude: covers every time of the schedule until 2027-02-01T00:00:00Z; change an exclusion'],
  ],
  ['exclusions of every time', { exclude: [{ schedule: '* * * * *' }] }, [ALL_EXCLUDED]],
  ['a time that a change of the clock skips once and doubles once', IN_BERLIN, [SKIPPED, DOUBLED]],
  ['both day fields and a change of the clock', { ...IN_BERLIN, schedule: '30 2 1-31 3 0' }, [EITHER_DAY, SKIPPED]],
  ['a deadline that starts nothing', { startingDeadlineSeconds: 0 }, [STARTS_NOTHING]],
  ['a deadline of a second', { startingDeadlineSeconds: 1 }, [shortDeadline(1)]],
  ['a deadline just shorter than a change of the leader', { startingDeadlineSeconds: 14 }, [shortDeadline(14)]],
  ['Forbid without any limit', FORBID, [HANGING_RUN]],
  ['Forbid with a limit for the start only', { ...FORBID, startTimeoutSeconds: 300 }, [HANGING_AFTER_START]],
  ['Jobs that go as soon as they are done', withJob({ ttlSecondsAfterFinished: 0 }), [shortLife(0)]],
  ['Jobs that go before a new leader sees them', withJob({ ttlSecondsAfterFinished: 14 }), [shortLife(14)]],
  [
    'a start timeout longer than the Job may take',
    { startTimeoutSeconds: 600, ...withDeadline(300) },
    [lateTimeout(600, 300)],
  ],
  [
    'a start timeout as long as the Job may take',
    { startTimeoutSeconds: 300, ...withDeadline(300) },
    [lateTimeout(300, 300)],
  ],
  [
    'a success expected each day of the week from runs on workdays',
    { schedule: '0 2 * * 1-5', expectSuccessWithinSeconds: 90_000 },
    [tooShort(90_000, '2026-01-02T02:00:00Z', '2026-01-05T02:00:00Z', 3 * DAY)],
  ],
  [
    'a success expected as often as a run is due, which leaves it no time',
    { schedule: '* * * * *', expectSuccessWithinSeconds: 60 },
    [tooShort(60, '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z', 60)],
  ],
  ['a success expected each day where the clock goes back', AT_FOUR, [TOO_SHORT_AT_FOUR]],
  [
    'a success expected each year from a run every fourth one',
    { schedule: '0 0 29 2 *', expectSuccessWithinSeconds: 366 * DAY },
    [tooShort(366 * DAY, '2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z', 1461 * DAY)],
  ],
  [
    'a success expected sooner than @every runs',
    { schedule: '@every 1h', expectSuccessWithinSeconds: 1800 },
    [tooShort(1800, '2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', 3600)],
  ],
  ['a pause for which no failed Job is left', { pauseAfterFailures: 3, failedJobsHistoryLimit: 0 }, [NO_JOB_LEFT]],
  [
    'a pause for which nothing is left',
    { pauseAfterFailures: 3, failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
    [NOTHING_LEFT],
  ],
  ['a time to suspend until that is now', { suspendUntil: '2026-01-01T00:00:00Z' }, [HAS_PASSED]],
  [
    'a time to suspend until that has passed, in another zone',
    { suspendUntil: '2026-01-01T05:30:00+05:30' },
    [HAS_PASSED],
  ],
  [
    'a time to suspend until that does not end a suspension',
    { suspendUntil: '2026-01-02T00:00:00Z', suspend: true },
    [STAYS_SUSPENDED],
  ],
];

describe('warns of', () => {
  test.each(warned)('%s', (_, spec, want) => {
    expect(warningsOf(cronJob(spec))).toEqual(want);
  });

  test.each(warned)('%s, also while suspended, unless that is how it is switched off', (_, spec, want) => {
    const others = want.filter((warning) => warning !== NEVER_FIRES && !/^spec\.(endTime|exclude):/.test(warning));
    expect(warningsOf(cronJob({ ...spec, suspend: true }))).toEqual(others);
  });

  test.each(warned)('%s when an update brings it about', (_, spec, want) => {
    const old = { schedule: '15 * * * *', timeZone: 'Asia/Tokyo' };
    expect(warningsOf(cronJob({ ...old, timeZone: 'UTC', ...spec }), cronJob(old))).toEqual(want);
  });

  test('a date that never comes, when the suspension ends, or ends by itself', () => {
    expect(warningsOf(cronJob(NEVER), cronJob({ ...NEVER, suspend: true }))).toEqual([NEVER_FIRES]);
    expect(warningsOf(cronJob({ ...NEVER, suspend: true }), cronJob(NEVER))).toEqual([]);
    expect(warningsOf(cronJob({ ...NEVER, suspendUntil: '2026-01-02T00:00:00Z' }))).toEqual([NEVER_FIRES]);
  });

  test('a date that never comes, and not of a success that is expected of it', () => {
    expect(warningsOf(cronJob({ ...NEVER, expectSuccessWithinSeconds: 1 }))).toEqual([NEVER_FIRES]);
  });

  test('a run after which none is due for more than five years', () => {
    const object = cronJob({ schedule: '0 0 29 2 *', expectSuccessWithinSeconds: DAY });
    expect(warningsOf(object, undefined, new Date('2095-01-01T00:00:00Z'))).toEqual([
      'spec.expectSuccessWithinSeconds: 86400 is too short: no run is due within five years after 2096-02-29T00:00:00Z; ' +
        'change the schedule',
    ]);
  });

  test('the next of two skips within twelve months', () => {
    const now = new Date('2026-03-29T00:00:00Z'); // the other change is on 2027-03-28
    expect(warningsOf(cronJob(IN_BERLIN), undefined, now)).toEqual([SKIPPED, DOUBLED]);
  });

  test.each<readonly [field: string, spec: Partial<CronJobSpec>, old: Partial<CronJobSpec>, want: readonly string[]]>([
    ['the time zone', IN_BERLIN, { timeZone: 'Asia/Tokyo' }, [SKIPPED, DOUBLED]],
    ['the schedule', IN_BERLIN, { schedule: '31 2 * * *' }, [SKIPPED, DOUBLED]],
    ['the policy', FORBID, { concurrencyPolicy: 'Allow' }, [HANGING_RUN]],
    ['the deadline for the start', FORBID, { startingDeadlineSeconds: 600 }, [HANGING_RUN]],
    ['the limit for the start of a Job', FORBID, { startTimeoutSeconds: 300 }, [HANGING_RUN]],
    ['the limit for the Job', FORBID, withDeadline(1), [HANGING_RUN]],
    ['the limit for the pods', FORBID, withJob({}, { activeDeadlineSeconds: 1 }), [HANGING_RUN]],
    [
      'the Job, beside a timeout',
      { startTimeoutSeconds: 60, ...withDeadline(30) },
      withDeadline(90),
      [lateTimeout(60, 30)],
    ],
    [
      'the schedule, beside an expected success',
      { schedule: '0 0 * * *', expectSuccessWithinSeconds: 7200 },
      { schedule: '0 * * * *' },
      [tooShort(7200, '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z', DAY)],
    ],
    ['the time zone, beside an expected success', AT_FOUR, { timeZone: 'Asia/Tokyo' }, [TOO_SHORT_AT_FOUR]],
    [
      'the history limit',
      { pauseAfterFailures: 3, failedJobsHistoryLimit: 0 },
      { failedJobsHistoryLimit: 1 },
      [NO_JOB_LEFT],
    ],
    [
      'the limit of recent runs',
      { pauseAfterFailures: 3, failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
      { recentRunsLimit: 1 },
      [NOTHING_LEFT],
    ],
  ])('what a change of %s brings about', (_, spec, old, want) => {
    expect(warningsOf(cronJob(spec), cronJob({ ...spec, ...old }))).toEqual(want);
  });
});

describe('says nothing of', () => {
  test.each<Readonly<Record<string, unknown>>>([
    {},
    { schedule: '@every 90m', timeZone: 'Europe/Berlin' },
    { ...NEVER, suspend: true },
    { schedule: '0 0 29 2 *' }, // fires in four years
    { schedule: '0 0 13 * *' },
    { schedule: '0 0 * * 5' },
    { schedule: '0 0 */1 * 5' },
    { schedule: '30 4 * * *', timeZone: 'Europe/Berlin' },
    { schedule: '*/5 * * * *', timeZone: 'Europe/Berlin' },
    { schedule: '30 2 * * *', timeZone: 'Asia/Tokyo' },
    { schedule: '30 2 * 7 *', timeZone: 'Europe/Berlin' }, // no clock change in that month
    { startingDeadlineSeconds: 15 },
    { ...FORBID, startingDeadlineSeconds: 600 },
    { ...FORBID, ...withDeadline(600) },
    { ...FORBID, ...withJob({}, { activeDeadlineSeconds: 600 }) },
    { concurrencyPolicy: 'Replace' },
    withJob({ ttlSecondsAfterFinished: 15 }),
    { startTimeoutSeconds: 600 },
    { startTimeoutSeconds: 299, ...withDeadline(300) },
    { schedule: '0 2 * * 1-5', expectSuccessWithinSeconds: 3 * DAY + 1 },
    { schedule: '* * * * *', expectSuccessWithinSeconds: 120 },
    { expectSuccessWithinSeconds: 2 ** 63 },
    { pauseAfterFailures: 3, recentRunsLimit: 0 },
    { failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
    { suspendUntil: '2026-01-01T00:00:01Z' },
    // Validation refuses the following values.
    { schedule: 'bad', timeZone: 'bad', startingDeadlineSeconds: -1, expectSuccessWithinSeconds: 1 },
    { schedule: '0 0 13 * 5', timeZone: 'bad', expectSuccessWithinSeconds: 1 },
    withJob({ ttlSecondsAfterFinished: -1 }),
    { startTimeoutSeconds: 299, ...withDeadline(0) },
    { startTimeoutSeconds: 'x', ...withDeadline(300) },
    { expectSuccessWithinSeconds: 1.5, pauseAfterFailures: -1 },
    { schedule: 5, expectSuccessWithinSeconds: 1 },
    { timeZone: 5, expectSuccessWithinSeconds: 1 },
    { suspendUntil: 'soon', suspend: true },
    { suspendUntil: 5, suspend: true },
  ])('%j', (spec) => {
    expect(warningsOf(cronJob(spec as Partial<CronJobSpec>))).toEqual([]);
  });

  test.each(warned)('%s when an update changes something else', (_, spec) => {
    const old = cronJob(spec);
    const template = old.spec.jobTemplate.spec?.template;
    const withOtherImage = {
      ...old.spec.jobTemplate.spec,
      template: { ...template, spec: { ...template?.spec, containers: [{ name: 'c', image: 'other' }] } },
    };
    const changed = {
      ...old.spec,
      suspend: true,
      successfulJobsHistoryLimit: 9,
      jobTemplate: { spec: withOtherImage },
    };
    expect(warningsOf({ ...old, spec: changed }, old)).toEqual([]);
  });

  test('a CronJob that is suspended beyond its time, by an update that only suspends it', () => {
    const suspendUntil = '2026-01-02T00:00:00Z';
    expect(warningsOf(cronJob({ suspendUntil, suspend: true }), cronJob({ suspendUntil }))).toEqual([]);
  });

  test('an object that is being deleted', () => {
    expect(warningsOf(cronJob(NEVER, undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toEqual([]);
  });
});

describe('a takeover', () => {
  const ANNOTATION = 'batch.tutorial.kubebuilder.io/takes-over-from';
  const CREATED = '2026-01-01T00:00:00Z';
  const takingOver = (from: unknown, creationTimestamp: unknown = CREATED, status?: CronJob['status']) =>
    cronJob({}, status, { creationTimestamp, annotations: { [ANNOTATION]: from } } as Partial<CronJob['metadata']>);
  const OBSERVED = { effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: CREATED } };
  const TOO_OLD =
    `metadata.annotations[${ANNOTATION}]: 2025-12-31T23:49:59Z is more than 10 minutes before the creation of this ` +
    'CronJob and is ignored, so no earlier run starts; remove it';
  const SEEN_BEFORE = `metadata.annotations[${ANNOTATION}]: is ignored, because it has an effect only when the CronJob is created; remove it`;

  test('from long ago is ignored, with a warning on create and when an update sets it', () => {
    const object = takingOver('2025-12-31T23:49:59Z');
    expect(warningsOf(object)).toEqual([TOO_OLD]);
    expect(warningsOf(object, cronJob())).toEqual([TOO_OLD]);
    expect(warningsOf(object, object)).toEqual([]);
  });

  test.each([null, '', 5])('is measured from now when the creation is noted as %j', (created) => {
    expect(warningsOf(takingOver('2025-12-31T23:49:59Z', created))).toEqual([TOO_OLD]);
    expect(warningsOf(takingOver('2025-12-31T23:50:00Z', created))).toEqual([]);
  });

  test('of a CronJob that the controller has seen comes too late', () => {
    const from = '2025-12-31T23:55:00Z';
    expect(warningsOf(takingOver(from))).toEqual([]);
    expect(warningsOf(takingOver(from), cronJob())).toEqual([]);
    expect(warningsOf(takingOver(from, CREATED, OBSERVED), cronJob({}, OBSERVED))).toEqual([SEEN_BEFORE]);
    expect(warningsOf(cronJob({}, OBSERVED), takingOver(from, CREATED, OBSERVED))).toEqual([]);
  });
});

test('every warning fits into what the API server hands on, whatever is set', () => {
  const aNumber = fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom(2 ** 31 - 1, 2 ** 53, 2 ** 63));
  const aSpec = fc.record({
    schedule: fc.constantFrom(
      ...['*/15 0-3 * * *', '59 * * * *', '7,23,38,52 23,0,1,2 31 * 6', '0 * * * *', '30 2,0 1 * 1', '*/7 * * * *'],
      ...['0 2 * * 1-5', '0 0 29 2 *', '@every 1s', '@every 2562047h', '30 2 1 1 *'],
    ),
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
    fc.property(aSpec, fc.integer({ min: 0, max: 400 }), (spec, days) => {
      const now = new Date(NOW.getTime() + days * DAY * 1000);
      for (const warning of warningsOf(cronJob(spec), undefined, now)) {
        expect(warning.length, warning).toBeLessThan(256);
        expect(warning).toMatch(/^spec\.\w+: .+; \S/);
      }
    }),
    { numRuns: 200 },
  );
});
