import type { FieldError } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { MAX_NAME_LENGTH, MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';

/** A valid CronJob except for `spec`, which may be anything. */
function withSpec(spec: Readonly<Record<string, unknown>>): CronJob {
  return cronJob(spec as Partial<CronJobSpec>);
}

/** The spec of a CronJob whose Jobs are valid except for `fields`. */
function withJob(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { jobTemplate: { spec: { ...cronJob().spec.jobTemplate.spec, ...fields } } };
}

/** Beginning of the message for each reason. */
const BEGINNINGS = {
  FieldValueInvalid: 'Invalid value: ',
  FieldValueTypeInvalid: 'Invalid value: ',
  FieldValueRequired: 'Required value: ',
  FieldValueTooLong: 'Too long: may not be more than ',
  FieldValueNotSupported: 'Unsupported value: ',
} as const;
type Reason = keyof typeof BEGINNINGS;
const error = (reason: Reason, field: string, message: string): FieldError => ({
  reason,
  field,
  message: `${BEGINNINGS[reason]}${message}`,
});

const [INVALID, TYPE, REQUIRED, TOO_LONG, NOT_SUPPORTED] = [
  'FieldValueInvalid',
  'FieldValueTypeInvalid',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueNotSupported',
] as const;
const SCHEDULE_FIX = 'give a schedule in cron format, such as "0 * * * *"';
const ZONE_FIX = 'use an IANA name such as Europe/Berlin';
const TIME_FIX = 'give a time such as 2026-01-02T15:04:05Z';
const SPEC_FIX = 'give a schedule and a jobTemplate';
const UNKNOWN_ZONE = `unknown time zone; ${ZONE_FIX}`;

type Row = readonly [field: string, value: unknown, reason: Reason, message: string];

const LIMITS_FROM_0 = [
  'startingDeadlineSeconds',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
  'requestedRunsHistoryLimit',
  'recentRunsLimit',
  'jitterSeconds',
];
const UP_TO_1000 = ['maxConcurrentRuns', 'queueLimit', 'catchUpLimit'];
const NUMBERS_FROM_1 = ['startTimeoutSeconds', 'expectSuccessWithinSeconds', 'pauseAfterFailures', ...UP_TO_1000];
const INT32 = [
  ...['successfulJobsHistoryLimit', 'failedJobsHistoryLimit', 'requestedRunsHistoryLimit'],
  ...['startTimeoutSeconds', 'pauseAfterFailures'],
];
const INT64 = ['startingDeadlineSeconds', 'expectSuccessWithinSeconds'];

const rows: readonly Row[] = [
  ['schedule', '61 * * * *', INVALID, '"61 * * * *": minute must be 0-59, not "61"'],
  [
    'schedule',
    'TZ=UTC 0 * * * *',
    INVALID,
    '"TZ=UTC 0 * * * *": must not name a time zone; use timeZone instead of TZ=',
  ],
  ['schedule', '', INVALID, '"": must have 5 fields (minute, hour, day of month, month, day of week), not 0'],
  ['schedule', '*'.repeat(MAX_SCHEDULE_LENGTH + 1), TOO_LONG, `1024 characters; ${SCHEDULE_FIX}`],
  ['schedule', undefined, REQUIRED, SCHEDULE_FIX],
  ['schedule', null, REQUIRED, SCHEDULE_FIX],
  ['schedule', ['0 * * * *'], TYPE, `"array": must be of type string; ${SCHEDULE_FIX}`],
  ['timeZone', 'europe/berlin', INVALID, '"europe/berlin": unknown time zone; use Europe/Berlin'],
  ['timeZone', '', INVALID, `"": ${UNKNOWN_ZONE}`],
  ['timeZone', 'x'.repeat(MAX_TIME_ZONE_LENGTH + 1), TOO_LONG, `64 characters; ${ZONE_FIX}`],
  ['timeZone', 1, TYPE, `1: must be of type string; ${ZONE_FIX}`],
  [
    'concurrencyPolicy',
    'Sometimes',
    NOT_SUPPORTED,
    '"Sometimes": supported values: "Allow", "Forbid", "Replace", "Skip", "Queue"',
  ],
  ['concurrencyPolicy', {}, NOT_SUPPORTED, '"object": supported values: "Allow", "Forbid", "Replace", "Skip", "Queue"'],
  ['suspend', 'yes', TYPE, '"yes": must be of type boolean; write true without quotes'],
  // Messages quote the first 100 characters of a long value.
  ['suspend', 'x'.repeat(101), TYPE, `"${'x'.repeat(100)}…": must be of type boolean`],
  ['jobTemplate', undefined, REQUIRED, 'give the Job that each run creates'],
  ['jobTemplate', [], TYPE, '"array": must be of type object; give the Job that each run creates'],
  ...LIMITS_FROM_0.map((field): Row => [field, -1, INVALID, '-1: must be greater than or equal to 0']),
  ...NUMBERS_FROM_1.map((field): Row => [field, 0, INVALID, '0: must be greater than or equal to 1']),
  ...[...LIMITS_FROM_0, ...NUMBERS_FROM_1].flatMap((field): Row[] => [
    [field, 1.5, TYPE, '1.5: must be of type integer'],
    [field, '3', TYPE, '"3": must be of type integer; write 3 without quotes'],
  ]),
  ...INT32.map((field): Row => [field, 2 ** 31, INVALID, '2147483648: must be less than or equal to 2147483647']),
  ...INT64.map((field): Row => [field, 1e30, INVALID, '1e+30: must be less than or equal to 9223372036854776000']),
  ['recentRunsLimit', 51, INVALID, '51: must be less than or equal to 50'],
  ['jitterSeconds', 86_401, INVALID, '86401: must be less than or equal to 86400'],
  ...UP_TO_1000.map((field): Row => [field, 1001, INVALID, '1001: must be less than or equal to 1000']),
  ['catchUpPolicy', 'Newest', NOT_SUPPORTED, '"Newest": supported values: "Latest", "All"'],
  ['runOverrides', 'Env', NOT_SUPPORTED, '"Env": supported values: "None", "Args", "ArgsAndEnv"'],
  ...[
    'tomorrow',
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+99:99',
    '2026-01-01t00:00:00z',
    '0000-01-01T00:00:00+10:00',
  ].map((time): Row => ['suspendUntil', time, INVALID, `"${time}": must be of type date-time; ${TIME_FIX}`]),
  // The status quotes the time: with so many digits, the API server would refuse every write of the status.
  ['suspendUntil', '2026-01-01T00:00:00.0123456789+00:00', TOO_LONG, `35 characters; ${TIME_FIX}`],
  ['suspendUntil', 1767225600, TYPE, `1767225600: must be of type date-time; ${TIME_FIX}`],
  ...['env', '', 1].map((context): Row => {
    return ['runContext', context, NOT_SUPPORTED, `${JSON.stringify(context)}: supported values: "None", "Env"`];
  }),
];

interface Refused {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly want: readonly FieldError[];
}

const refused: readonly Refused[] = [
  ...rows.map(([field, value, reason, message]) => ({
    name: `a ${field} of ${JSON.stringify(value)}`,
    spec: { [field]: value },
    want: [error(reason, `spec.${field}`, message)],
  })),
  {
    name: 'a wrong zone and a wrong schedule, both at once',
    spec: { timeZone: 'Local', schedule: '*' },
    want: [
      error(
        INVALID,
        'spec.schedule',
        '"*": must have 5 fields (minute, hour, day of month, month, day of week), not 1',
      ),
      error(INVALID, 'spec.timeZone', `"Local": ${UNKNOWN_ZONE}`),
    ],
  },
  ...[{}, { matchLabels: { app: 'a' } }].map((selector) => ({
    name: `a selector for all Jobs, ${JSON.stringify(selector)}`,
    spec: withJob({ selector }),
    want: [error(INVALID, 'spec.jobTemplate.spec.selector', '"object": `selector` will be auto-generated; remove it')],
  })),
  {
    name: 'selectors that are not generated',
    spec: withJob({ manualSelector: true }),
    want: [
      error(
        INVALID,
        'spec.jobTemplate.spec.manualSelector',
        'true: must not be true, because the selector of each Job will be auto-generated; remove it',
      ),
    ],
  },
];

describe('refuses', () => {
  test.each(refused)('$name', ({ spec, want }) => {
    expect(validateCronJob(withSpec(spec))).toEqual(want);
  });

  test.each(refused)('an update to $name', ({ spec, want }) => {
    expect(validateCronJob(withSpec(spec), cronJob({ timeZone: 'UTC', startingDeadlineSeconds: 7 }))).toEqual(want);
  });

  test('a name that leaves no room for those of its Jobs', () => {
    const name = 'n'.repeat(MAX_NAME_LENGTH + 1);
    const want =
      `"${name}": must be no more than 52 characters, because the names of its Jobs are 11 characters longer; ` +
      'choose a shorter name';
    expect(validateCronJob(cronJob({}, undefined, { name }))).toEqual([error(INVALID, 'metadata.name', want)]);
  });

  test.each([
    [undefined, error(REQUIRED, 'spec', SPEC_FIX)],
    [null, error(REQUIRED, 'spec', SPEC_FIX)],
    ['x', error(TYPE, 'spec', `"x": must be of type object; ${SPEC_FIX}`)],
    [[], error(TYPE, 'spec', `"array": must be of type object; ${SPEC_FIX}`)],
  ])('a spec that is %j', (spec, want) => {
    const broken = { ...cronJob(), spec } as unknown as CronJob;
    expect(validateCronJob(broken)).toEqual([want]);
    expect(validateCronJob(broken, cronJob())).toEqual([want]);
    expect(validateCronJob(broken, broken)).toEqual([]);
  });
});

test.each<Readonly<Record<string, unknown>>>([
  {},
  { schedule: '0 * * * *'.padEnd(MAX_SCHEDULE_LENGTH) },
  { schedule: '@every 90m' },
  { schedule: '0 0 31 2 *' }, // never fires
  { timeZone: 'America/Argentina/ComodRivadavia' }, // the longest name
  { startingDeadlineSeconds: 2 ** 60 },
  { startingDeadlineSeconds: 2 ** 63 }, // as JSON reads the largest int64
  { startingDeadlineSeconds: 0, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0, recentRunsLimit: 0 },
  { successfulJobsHistoryLimit: 2 ** 31 - 1, recentRunsLimit: 50 },
  { startTimeoutSeconds: 1, expectSuccessWithinSeconds: 1, pauseAfterFailures: 1 },
  { startTimeoutSeconds: 2 ** 31 - 1, expectSuccessWithinSeconds: 2 ** 63, pauseAfterFailures: 2 ** 31 - 1 },
  { maxConcurrentRuns: 1, queueLimit: 1, catchUpLimit: 1, jitterSeconds: 0, requestedRunsHistoryLimit: 0 },
  { maxConcurrentRuns: 1000, queueLimit: 1000, catchUpLimit: 1000, jitterSeconds: 86_400 },
  { concurrencyPolicy: 'Skip', catchUpPolicy: 'Latest', runOverrides: 'None' },
  { concurrencyPolicy: 'Queue', catchUpPolicy: 'All', runOverrides: 'ArgsAndEnv' },
  { concurrencyPolicy: 'Replace', suspend: true, runContext: 'None' },
  { runContext: 'Env' },
  ...['2026-01-02T15:04:05Z', '2026-01-02T15:04:05.123456789-05:30', '1999-01-01T00:00:00Z'].map((suspendUntil) => ({
    suspendUntil,
  })),
  withJob({ manualSelector: false, selector: null }),
  Object.fromEntries(
    [
      ...['timeZone', 'suspend', 'startingDeadlineSeconds', 'suspendUntil', 'recentRunsLimit', 'startTimeoutSeconds'],
      ...['expectSuccessWithinSeconds', 'pauseAfterFailures', 'runContext'],
    ].map((field) => [field, null]),
  ),
])('takes %j', (spec) => {
  expect(validateCronJob(withSpec(spec))).toEqual([]);
});

test('takes the longest name, and a spec that leaves out what has a default', () => {
  const { schedule, jobTemplate } = cronJob().spec;
  const object = cronJob({}, undefined, { name: 'n'.repeat(MAX_NAME_LENGTH) });
  expect(validateCronJob({ ...object, spec: { schedule, jobTemplate } as CronJobSpec })).toEqual([]);
});

describe('on update looks only at what changes', () => {
  test.each(refused)('and so takes an object that has $name', ({ spec }) => {
    const old = withSpec(spec);
    const changed = withSpec({ ...spec, suspend: spec['suspend'] ?? true });
    const labelled = { ...changed, metadata: { ...old.metadata, labels: { a: 'b' } } };
    expect(validateCronJob(structuredClone(labelled), old)).toEqual([]);
  });

  test('and so lets one field be fixed after the other', () => {
    const old = cronJob({ schedule: 'bad', timeZone: 'bad' });
    expect(validateCronJob(cronJob({ schedule: '@daily', timeZone: 'bad' }), old)).toEqual([]);
  });

  test('and so takes a name that is too long', () => {
    const old = cronJob({}, undefined, { name: 'n'.repeat(60) });
    expect(validateCronJob({ ...old, spec: { ...old.spec, suspend: true } }, old)).toEqual([]);
  });

  test('and so takes another image for a template that has a selector', () => {
    const old = withSpec(withJob({ selector: { matchLabels: { app: 'a' } }, manualSelector: true }));
    const { spec } = old.spec.jobTemplate;
    const jobTemplate = { spec: { ...spec!, template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } };
    expect(validateCronJob({ ...old, spec: { ...old.spec, jobTemplate } }, old)).toEqual([]);
  });

  test('but at one that is exchanged for another bad one', () => {
    const want = '"* * *": must have 5 fields (minute, hour, day of month, month, day of week), not 3';
    expect(validateCronJob(cronJob({ schedule: '* * *' }), cronJob({ schedule: '*' }))).toEqual([
      error(INVALID, 'spec.schedule', want),
    ]);
  });
});

test('lets everything pass that is being deleted', () => {
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', name: 'n'.repeat(60) };
  const bad = cronJob({ schedule: 'bad' }, undefined, metadata);
  expect(validateCronJob(bad, cronJob())).toEqual([]);
  expect(validateCronJob(bad)).toEqual([]);
});
