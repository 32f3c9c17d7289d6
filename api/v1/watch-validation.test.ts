/** The checks of the fields that watch runs and say when they start again. */
import type { FieldError } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJobSpec } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';

const withSpec = (spec: object) => cronJob(spec as Partial<CronJobSpec>);
const error = (reason: string, field: string, message: string): FieldError => ({ reason, field, message });
const invalid = (field: string, message: string) => error('FieldValueInvalid', field, `Invalid value: ${message}`);
const wrongType = (field: string, message: string) =>
  error('FieldValueTypeInvalid', field, `Invalid value: ${message}`);
const TIME_FIX = 'give a time such as 2026-01-02T15:04:05Z';

interface Row {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly want: readonly FieldError[];
}

const refused: readonly Row[] = [
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
  ].map((suspendUntil) => ({
    name: `a suspendUntil of "${suspendUntil}"`,
    spec: { suspendUntil },
    want: [invalid('spec.suspendUntil', `"${suspendUntil}": must be of type date-time; ${TIME_FIX}`)],
  })),
  {
    // The status quotes it: with so many digits no write of the status would be accepted.
    name: 'a suspendUntil with more digits than nanoseconds have',
    spec: { suspendUntil: '2026-01-01T00:00:00.0123456789+00:00' },
    want: [
      error('FieldValueTooLong', 'spec.suspendUntil', `Too long: may not be more than 35 characters; ${TIME_FIX}`),
    ],
  },
  {
    name: 'a suspendUntil that is a number',
    spec: { suspendUntil: 1767225600 },
    want: [wrongType('spec.suspendUntil', `1767225600: must be of type date-time; ${TIME_FIX}`)],
  },
  ...['startTimeoutSeconds', 'expectSuccessWithinSeconds', 'pauseAfterFailures'].map((field) => ({
    name: `a ${field} of 0`,
    spec: { [field]: 0 },
    want: [invalid(`spec.${field}`, '0: must be greater than or equal to 1')],
  })),
  ...['recentRunsLimit', 'startTimeoutSeconds', 'expectSuccessWithinSeconds', 'pauseAfterFailures'].flatMap(
    (field): Row[] => [
      {
        name: `a ${field} with a fraction`,
        spec: { [field]: 1.5 },
        want: [wrongType(`spec.${field}`, '1.5: must be of type integer')],
      },
      {
        name: `a ${field} in text`,
        spec: { [field]: '3' },
        want: [wrongType(`spec.${field}`, '"3": must be of type integer; write 3 without quotes')],
      },
    ],
  ),
  {
    name: 'a negative recentRunsLimit',
    spec: { recentRunsLimit: -1 },
    want: [invalid('spec.recentRunsLimit', '-1: must be greater than or equal to 0')],
  },
  {
    name: 'a recentRunsLimit beyond what a status holds',
    spec: { recentRunsLimit: 51 },
    want: [invalid('spec.recentRunsLimit', '51: must be less than or equal to 50')],
  },
  ...['startTimeoutSeconds', 'pauseAfterFailures'].map((field) => ({
    name: `a ${field} beyond 32 bits`,
    spec: { [field]: 2 ** 31 },
    want: [invalid(`spec.${field}`, '2147483648: must be less than or equal to 2147483647')],
  })),
  {
    name: 'an expected success beyond 64 bits',
    spec: { expectSuccessWithinSeconds: 1e30 },
    want: [invalid('spec.expectSuccessWithinSeconds', '1e+30: must be less than or equal to 9223372036854776000')],
  },
  ...['env', '', 1].map((runContext) => ({
    name: `a run context that does not exist, ${JSON.stringify(runContext)}`,
    spec: { runContext },
    want: [
      error(
        'FieldValueNotSupported',
        'spec.runContext',
        `Unsupported value: ${JSON.stringify(runContext)}: supported values: "None", "Env"`,
      ),
    ],
  })),
];

describe('refuses', () => {
  test.each(refused)('$name', ({ spec, want }) => {
    expect(validateCronJob(withSpec(spec))).toEqual(want);
  });

  test.each(refused)('an update to $name', ({ spec, want }) => {
    expect(validateCronJob(withSpec(spec), cronJob())).toEqual(want);
  });
});

test.each(refused)('takes an object that has $name, when an update changes something else', ({ spec }) => {
  expect(validateCronJob(withSpec({ ...spec, suspend: true }), withSpec(spec))).toEqual([]);
});

describe('takes', () => {
  test.each<{ name: string; spec: object }>([
    { name: 'a time to suspend until', spec: { suspendUntil: '2026-01-02T15:04:05Z' } },
    { name: 'one in another zone, with a fraction', spec: { suspendUntil: '2026-01-02T15:04:05.5+05:30' } },
    { name: 'one to the nanosecond', spec: { suspendUntil: '2026-01-02T15:04:05.123456789-05:30' } },
    { name: 'one that has passed', spec: { suspendUntil: '1999-01-01T00:00:00Z' } },
    { name: 'no recent runs', spec: { recentRunsLimit: 0 } },
    { name: 'the most recent runs', spec: { recentRunsLimit: 50 } },
    {
      name: 'the smallest numbers',
      spec: { startTimeoutSeconds: 1, expectSuccessWithinSeconds: 1, pauseAfterFailures: 1 },
    },
    {
      name: 'the largest numbers',
      spec: { startTimeoutSeconds: 2 ** 31 - 1, expectSuccessWithinSeconds: 2 ** 63, pauseAfterFailures: 2 ** 31 - 1 },
    },
    { name: 'no run context', spec: { runContext: 'None' } },
    { name: 'a run context in the environment', spec: { runContext: 'Env' } },
    {
      name: 'null in each of them',
      spec: {
        suspendUntil: null,
        recentRunsLimit: null,
        startTimeoutSeconds: null,
        expectSuccessWithinSeconds: null,
        pauseAfterFailures: null,
        runContext: null,
      },
    },
  ])('$name', ({ spec }) => {
    expect(validateCronJob(withSpec(spec))).toEqual([]);
  });
});
