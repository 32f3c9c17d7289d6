import fc from 'fast-check';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { cronJobWarnings } from './cronjob-warnings.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const FAILOVER_SECONDS = 15;

function warningsOf(object: CronJob, old?: CronJob): readonly string[] {
  return cronJobWarnings(object, { now: NOW, old, failoverSeconds: FAILOVER_SECONDS });
}

/** The usual template, with `spec` of the Job and of its pods. */
function jobTemplate(spec: object, podSpec: object = {}): CronJobSpec['jobTemplate'] {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...podSpec } };
  return { spec: { template, ...spec } };
}

const NEVER_FIRES =
  'spec.schedule: never fires: no such day comes within five years; change day of month or month, or set suspend to stop it';
const EITHER_DAY =
  'spec.schedule: day of month and day of week are both given, and a day that matches one of them is enough; ' +
  'make one of them * unless that is meant';
const HANGING_RUN =
  'spec.concurrencyPolicy: with Forbid a run that hangs blocks all later ones for ever; ' +
  'set spec.jobTemplate.spec.activeDeadlineSeconds to the longest that a run may take';
const HANGING_AFTER_START = HANGING_RUN.replace('hangs', 'hangs after its start');
const STARTS_NOTHING =
  'spec.startingDeadlineSeconds: 0 starts nothing; remove it, or give the seconds that a run may be late';
const shortDeadline = (seconds: number) =>
  `spec.startingDeadlineSeconds: ${seconds} is less than the 15 s for which there may be no leader, ` +
  'and runs due then are lost; give 15 or more';
const shortLife = (seconds: number) =>
  `spec.jobTemplate.spec.ttlSecondsAfterFinished: ${seconds} may delete a Job before its result is seen, ` +
  'at the latest when the leader changes; give 60 or more, or use the history limits';
const SKIPPED =
  'spec.schedule: in Europe/Berlin 2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00; ' +
  'choose another time if that run matters';
const DOUBLED =
  'spec.schedule: in Europe/Berlin 2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00; ' +
  'choose another time if once must be enough';

interface Row {
  readonly name: string;
  readonly spec: Partial<CronJobSpec>;
  readonly want: readonly string[];
}

const warned: readonly Row[] = [
  { name: 'a date that never comes', spec: { schedule: '0 0 31 2 *' }, want: [NEVER_FIRES] },
  {
    name: 'a date that never comes, and of it nothing else',
    spec: { schedule: '30 2 31 2 *', timeZone: 'Europe/Berlin' },
    want: [NEVER_FIRES],
  },
  { name: 'both day fields', spec: { schedule: '0 0 13 * 5' }, want: [EITHER_DAY] },
  {
    name: 'a time that a change of the clock skips once and doubles once',
    spec: { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
    want: [SKIPPED, DOUBLED],
  },
  {
    name: 'both day fields and a change of the clock',
    spec: { schedule: '30 2 1-31 3 0', timeZone: 'Europe/Berlin' },
    want: [EITHER_DAY, SKIPPED],
  },
  { name: 'a deadline that starts nothing', spec: { startingDeadlineSeconds: 0 }, want: [STARTS_NOTHING] },
  { name: 'a deadline of a second', spec: { startingDeadlineSeconds: 1 }, want: [shortDeadline(1)] },
  {
    name: 'a deadline just shorter than a change of the leader',
    spec: { startingDeadlineSeconds: 14 },
    want: [shortDeadline(14)],
  },
  { name: 'Forbid without any limit', spec: { concurrencyPolicy: 'Forbid' }, want: [HANGING_RUN] },
  {
    name: 'Forbid with a limit for the start only',
    spec: { concurrencyPolicy: 'Forbid', startTimeoutSeconds: 300 },
    want: [HANGING_AFTER_START],
  },
  {
    name: 'Jobs that go as soon as they are done',
    spec: { jobTemplate: jobTemplate({ ttlSecondsAfterFinished: 0 }) },
    want: [shortLife(0)],
  },
  {
    name: 'Jobs that go before a new leader sees them',
    spec: { jobTemplate: jobTemplate({ ttlSecondsAfterFinished: 14 }) },
    want: [shortLife(14)],
  },
];

describe('warns of', () => {
  test.each(warned)('$name', ({ spec, want }) => {
    expect(warningsOf(cronJob(spec))).toEqual(want);
  });

  test.each(warned)('$name, also while suspended, unless that is how it is switched off', ({ spec, want }) => {
    const others = want.filter((warning) => warning !== NEVER_FIRES);
    expect(warningsOf(cronJob({ ...spec, suspend: true }))).toEqual(others);
  });

  test('a date that never comes, when the suspension ends, or ends by itself', () => {
    const never = { schedule: '0 0 31 2 *' };
    expect(warningsOf(cronJob(never), cronJob({ ...never, suspend: true }))).toEqual([NEVER_FIRES]);
    expect(warningsOf(cronJob({ ...never, suspend: true }), cronJob(never))).toEqual([]);
    expect(warningsOf(cronJob({ ...never, suspendUntil: '2026-01-02T00:00:00Z' }))).toEqual([NEVER_FIRES]);
  });

  test.each(warned)('$name when an update brings it about', ({ spec, want }) => {
    const old = cronJob({ schedule: '@daily' });
    expect(warningsOf(cronJob({ schedule: '@daily', ...spec }), old)).toEqual(want);
  });
});

describe('says nothing of', () => {
  test.each<{ name: string; spec: Partial<CronJobSpec> }>([
    { name: 'what is usual', spec: {} },
    { name: '@every', spec: { schedule: '@every 90m', timeZone: 'Europe/Berlin' } },
    { name: 'a date that never comes while suspended', spec: { schedule: '0 0 30 2 *', suspend: true } },
    { name: 'a date that comes in four years', spec: { schedule: '0 0 29 2 *' } },
    { name: 'a day of the month', spec: { schedule: '0 0 13 * *' } },
    { name: 'a weekday', spec: { schedule: '0 0 * * 5' } },
    { name: 'a star with step 1 beside a weekday', spec: { schedule: '0 0 */1 * 5' } },
    { name: 'a time that no change of the clock touches', spec: { schedule: '30 4 * * *', timeZone: 'Europe/Berlin' } },
    {
      name: 'every five minutes through changes of the clock',
      spec: { schedule: '*/5 * * * *', timeZone: 'Europe/Berlin' },
    },
    { name: 'a zone whose clock never changes', spec: { schedule: '30 2 * * *', timeZone: 'Asia/Tokyo' } },
    { name: 'a month without a change of the clock', spec: { schedule: '30 2 * 7 *', timeZone: 'Europe/Berlin' } },
    { name: 'a deadline as long as a change of the leader', spec: { startingDeadlineSeconds: 15 } },
    {
      name: 'Forbid with a deadline for the start',
      spec: { concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 600 },
    },
    {
      name: 'Forbid with a limit for the Job',
      spec: { concurrencyPolicy: 'Forbid', jobTemplate: jobTemplate({ activeDeadlineSeconds: 600 }) },
    },
    {
      name: 'Forbid with a limit for the pods',
      spec: { concurrencyPolicy: 'Forbid', jobTemplate: jobTemplate({}, { activeDeadlineSeconds: 600 }) },
    },
    { name: 'Replace', spec: { concurrencyPolicy: 'Replace' } },
    { name: 'Jobs that stay for a while', spec: { jobTemplate: jobTemplate({ ttlSecondsAfterFinished: 15 }) } },
    { name: 'what is refused', spec: { schedule: 'bad', timeZone: 'bad', startingDeadlineSeconds: -1 } },
    { name: 'a schedule in a zone that is refused', spec: { schedule: '0 0 13 * 5', timeZone: 'bad' } },
    { name: 'a time to live that is refused', spec: { jobTemplate: jobTemplate({ ttlSecondsAfterFinished: -1 }) } },
  ])('$name', ({ spec }) => {
    expect(warningsOf(cronJob(spec))).toEqual([]);
  });

  test.each(warned)('$name when an update changes something else', ({ spec }) => {
    const old = cronJob(spec);
    const template = old.spec.jobTemplate.spec?.template;
    const withOtherImage = {
      ...old.spec.jobTemplate.spec,
      template: { ...template, spec: { ...template?.spec, containers: [{ name: 'c', image: 'other' }] } },
    };
    const changed = { ...old.spec, suspend: true, failedJobsHistoryLimit: 9, jobTemplate: { spec: withOtherImage } };
    expect(warningsOf({ ...old, spec: changed }, old)).toEqual([]);
  });

  test('an object that is being deleted', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(warningsOf(cronJob({ schedule: '0 0 31 2 *' }, undefined, { deletionTimestamp }))).toEqual([]);
  });
});

test('of two skips within twelve months, tells of the next', () => {
  const object = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
  const now = new Date('2026-03-29T00:00:00Z'); // the other one is on 2027-03-28
  expect(cronJobWarnings(object, { now, failoverSeconds: FAILOVER_SECONDS })).toEqual([SKIPPED, DOUBLED]);
});

test.each([
  { field: 'the time zone', change: { timeZone: 'Europe/Berlin' }, old: { timeZone: 'Asia/Tokyo' } },
  { field: 'the schedule', change: { schedule: '30 2 * * *' }, old: { schedule: '31 2 * * *' } },
])('warns of a change of the clock when $field was changed', ({ change, old }) => {
  const spec = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };
  expect(warningsOf(cronJob({ ...spec, ...change }), cronJob({ ...spec, ...old }))).toEqual([SKIPPED, DOUBLED]);
});

test.each<{ field: string; old: Partial<CronJobSpec> }>([
  { field: 'the policy', old: { concurrencyPolicy: 'Allow' } },
  { field: 'the deadline for the start', old: { startingDeadlineSeconds: 600 } },
  { field: 'the limit for the start of a Job', old: { startTimeoutSeconds: 300 } },
  { field: 'the limit for the Job', old: { jobTemplate: jobTemplate({ activeDeadlineSeconds: 1 }) } },
  { field: 'the limit for the pods', old: { jobTemplate: jobTemplate({}, { activeDeadlineSeconds: 1 }) } },
])('warns of runs that hang when $field was changed', ({ old }) => {
  const spec = { concurrencyPolicy: 'Forbid' } as const;
  expect(warningsOf(cronJob(spec), cronJob({ ...spec, ...old }))).toEqual([HANGING_RUN]);
});

describe('a takeover', () => {
  const ANNOTATION = 'batch.tutorial.kubebuilder.io/takes-over-from';
  const CREATED = '2026-01-01T00:00:00Z';
  const takingOver = (from: unknown, creationTimestamp: unknown = CREATED, status?: CronJob['status']) =>
    cronJob({}, status, { creationTimestamp, annotations: { [ANNOTATION]: from } } as Partial<CronJob['metadata']>);
  const OBSERVED = { effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: CREATED } };
  const TOO_OLD =
    `metadata.annotations[${ANNOTATION}]: 2025-12-31T23:49:59Z is more than 10 minutes before the creation of this ` +
    'CronJob and is ignored: earlier runs are not caught up; remove it';
  const SEEN_BEFORE = `metadata.annotations[${ANNOTATION}]: is ignored, because it counts only when the CronJob is created; remove it`;

  test.each([
    ['yesterday', 'is not a time and is ignored'],
    [5, 'is not a time and is ignored'],
    ['2026-01-01T00:00:01Z', '2026-01-01T00:00:01Z is after the creation of this CronJob and is ignored'],
  ])('from %j is ignored, and the client is told', (from, fault) => {
    const [warning, ...others] = warningsOf(takingOver(from));
    expect(warning).toContain(`metadata.annotations[${ANNOTATION}]: ${fault}`);
    expect(others).toEqual([]);
  });

  test('from long ago is ignored, and the client is told on create and when an update sets it', () => {
    const object = takingOver('2025-12-31T23:49:59Z');
    expect(warningsOf(object)).toEqual([TOO_OLD]);
    expect(warningsOf(object, cronJob())).toEqual([TOO_OLD]);
    expect(warningsOf(object, object)).toEqual([]);
  });

  test('is measured from now when no creation is noted yet', () => {
    for (const created of [null, '', 5]) {
      expect(warningsOf(takingOver('2025-12-31T23:49:59Z', created))).toEqual([TOO_OLD]);
      expect(warningsOf(takingOver('2025-12-31T23:50:00Z', created))).toEqual([]);
    }
  });

  test('of a CronJob that the controller has seen comes too late', () => {
    const from = '2025-12-31T23:55:00Z';
    expect(warningsOf(takingOver(from))).toEqual([]);
    expect(warningsOf(takingOver(from), cronJob())).toEqual([]);
    expect(warningsOf(takingOver(from, CREATED, OBSERVED), cronJob({}, OBSERVED))).toEqual([SEEN_BEFORE]);
    expect(warningsOf(cronJob({}, OBSERVED), takingOver(from, CREATED, OBSERVED))).toEqual([]);
  });
});

test('every warning fits into what the API server hands on, in every zone and month', () => {
  const aSchedule = fc.constantFrom(
    '*/15 0-3 * * *',
    '59 * * * *',
    '7,23,38,52 23,0,1,2 31 * 6',
    '0 * * * *',
    '30 2,0 1 * 1',
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...TIME_ZONE_NAMES),
      aSchedule,
      fc.integer({ min: 0, max: 400 }),
      (timeZone, schedule, days) => {
        const now = new Date(NOW.getTime() + days * 86_400_000);
        const context = { now, failoverSeconds: FAILOVER_SECONDS };
        for (const warning of cronJobWarnings(cronJob({ schedule, timeZone }), context)) {
          expect(warning.length, warning).toBeLessThan(256);
          expect(warning).toMatch(/^spec\.\w+: .+; \S/);
        }
      },
    ),
  );
});
