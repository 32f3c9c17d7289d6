import type { FieldError } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { MAX_NAME_LENGTH, MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';

/** A CronJob that is good but for `spec`, which may be anything. */
function withSpec(spec: Readonly<Record<string, unknown>>): CronJob {
  return cronJob(spec as Partial<CronJobSpec>);
}

/** The spec of a CronJob whose Jobs are good but for `fields`. */
function withJob(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { jobTemplate: { spec: { ...cronJob().spec.jobTemplate.spec, ...fields } } };
}

const error = (reason: string, field: string, message: string): FieldError => ({ reason, field, message });
const invalid = (field: string, message: string) => error('FieldValueInvalid', field, `Invalid value: ${message}`);
const wrongType = (field: string, message: string) =>
  error('FieldValueTypeInvalid', field, `Invalid value: ${message}`);
const SCHEDULE_FIX = 'give a schedule in cron format, such as "0 * * * *"';

interface Row {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly want: readonly FieldError[];
}

const refused: readonly Row[] = [
  {
    name: 'a schedule out of range',
    spec: { schedule: '61 * * * *' },
    want: [invalid('spec.schedule', '"61 * * * *": minute must be 0-59, not "61"')],
  },
  {
    name: 'a zone inside the schedule',
    spec: { schedule: 'TZ=UTC 0 * * * *' },
    want: [invalid('spec.schedule', '"TZ=UTC 0 * * * *": must not name a time zone; use timeZone instead of TZ=')],
  },
  {
    name: 'an empty schedule',
    spec: { schedule: '' },
    want: [invalid('spec.schedule', '"": must have 5 fields (minute, hour, day of month, month, day of week), not 0')],
  },
  {
    name: 'a schedule beyond measure',
    spec: { schedule: '*'.repeat(MAX_SCHEDULE_LENGTH + 1) },
    want: [
      error('FieldValueTooLong', 'spec.schedule', `Too long: may not be more than 1024 characters; ${SCHEDULE_FIX}`),
    ],
  },
  {
    name: 'a missing schedule',
    spec: { schedule: undefined },
    want: [error('FieldValueRequired', 'spec.schedule', `Required value: ${SCHEDULE_FIX}`)],
  },
  {
    name: 'a schedule that is null',
    spec: { schedule: null },
    want: [error('FieldValueRequired', 'spec.schedule', `Required value: ${SCHEDULE_FIX}`)],
  },
  {
    name: 'a schedule that is no text',
    spec: { schedule: ['0 * * * *'] },
    want: [wrongType('spec.schedule', `"array": must be of type string; ${SCHEDULE_FIX}`)],
  },
  {
    name: 'a zone in another spelling',
    spec: { timeZone: 'europe/berlin' },
    want: [invalid('spec.timeZone', '"europe/berlin": unknown time zone; give an IANA name such as Europe/Berlin')],
  },
  {
    name: 'an empty zone',
    spec: { timeZone: '' },
    want: [invalid('spec.timeZone', '"": unknown time zone; give an IANA name such as Europe/Berlin')],
  },
  {
    name: 'a zone beyond measure',
    spec: { timeZone: 'x'.repeat(MAX_TIME_ZONE_LENGTH + 1) },
    want: [
      error(
        'FieldValueTooLong',
        'spec.timeZone',
        'Too long: may not be more than 64 characters; give an IANA name such as Europe/Berlin',
      ),
    ],
  },
  {
    name: 'a zone that is no text',
    spec: { timeZone: 1 },
    want: [wrongType('spec.timeZone', '1: must be of type string; give an IANA name such as Europe/Berlin')],
  },
  {
    name: 'a wrong zone and a wrong schedule, both at once',
    spec: { timeZone: 'Local', schedule: '@reboot' },
    want: [
      invalid(
        'spec.schedule',
        '"@reboot": must be one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or "@every <duration>"',
      ),
      invalid('spec.timeZone', '"Local": unknown time zone; give an IANA name such as Europe/Berlin'),
    ],
  },
  {
    name: 'a concurrency policy that does not exist',
    spec: { concurrencyPolicy: 'Sometimes' },
    want: [
      error(
        'FieldValueNotSupported',
        'spec.concurrencyPolicy',
        'Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"',
      ),
    ],
  },
  {
    name: 'a concurrency policy that is an object',
    spec: { concurrencyPolicy: {} },
    want: [
      error(
        'FieldValueNotSupported',
        'spec.concurrencyPolicy',
        'Unsupported value: "object": supported values: "Allow", "Forbid", "Replace"',
      ),
    ],
  },
  {
    name: 'suspend in words',
    spec: { suspend: 'yes' },
    want: [wrongType('spec.suspend', '"yes": must be of type boolean; write true without quotes')],
  },
  {
    name: 'a missing template',
    spec: { jobTemplate: undefined },
    want: [error('FieldValueRequired', 'spec.jobTemplate', 'Required value: give the Job that each run creates')],
  },
  {
    name: 'a template that is a list',
    spec: { jobTemplate: [] },
    want: [wrongType('spec.jobTemplate', '"array": must be of type object; give the Job that each run creates')],
  },
  ...[{}, { matchLabels: { app: 'a' } }].map((selector) => ({
    name: `a selector for all Jobs, ${JSON.stringify(selector)}`,
    spec: withJob({ selector }),
    want: [invalid('spec.jobTemplate.spec.selector', '"object": `selector` will be auto-generated; remove it')],
  })),
  {
    name: 'selectors that are not generated',
    spec: withJob({ manualSelector: true }),
    want: [
      invalid(
        'spec.jobTemplate.spec.manualSelector',
        'true: must not be true, because the selector of each Job will be auto-generated; remove it',
      ),
    ],
  },
  ...['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].flatMap((field): Row[] => [
    {
      name: `a negative ${field}`,
      spec: { [field]: -1 },
      want: [invalid(`spec.${field}`, '-1: must be greater than or equal to 0')],
    },
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
  ]),
  ...['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].map((field) => ({
    name: `a ${field} beyond 32 bits`,
    spec: { [field]: 2 ** 31 },
    want: [invalid(`spec.${field}`, '2147483648: must be less than or equal to 2147483647')],
  })),
  {
    name: 'a deadline beyond 64 bits',
    spec: { startingDeadlineSeconds: 1e30 },
    want: [invalid('spec.startingDeadlineSeconds', '1e+30: must be less than or equal to 9223372036854776000')],
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
    expect(validateCronJob(cronJob({}, undefined, { name }))).toEqual([
      invalid(
        'metadata.name',
        `"${name}": must be no more than 52 characters, because the names of its Jobs are 11 longer; choose a shorter name`,
      ),
    ]);
  });

  test('long values by their first 100 characters', () => {
    expect(validateCronJob(withSpec({ suspend: 'x'.repeat(101) }))).toEqual([
      wrongType('spec.suspend', `"${'x'.repeat(100)}…": must be of type boolean`),
    ]);
  });

  test.each([
    [undefined, error('FieldValueRequired', 'spec', 'Required value: give a schedule and a jobTemplate')],
    [null, error('FieldValueRequired', 'spec', 'Required value: give a schedule and a jobTemplate')],
    ['x', wrongType('spec', '"x": must be of type object; give a schedule and a jobTemplate')],
    [[], wrongType('spec', '"array": must be of type object; give a schedule and a jobTemplate')],
  ])('a spec that is %j', (spec, want) => {
    const broken = { ...cronJob(), spec } as unknown as CronJob;
    expect(validateCronJob(broken)).toEqual([want]);
    expect(validateCronJob(broken, cronJob())).toEqual([want]);
    expect(validateCronJob(broken, broken)).toEqual([]);
  });
});

describe('takes', () => {
  test.each<{ name: string; spec: Partial<CronJobSpec> }>([
    { name: 'what is usual', spec: {} },
    { name: 'the longest schedule', spec: { schedule: '0 * * * *'.padEnd(MAX_SCHEDULE_LENGTH) } },
    { name: '@every', spec: { schedule: '@every 90m' } },
    { name: 'a schedule that never fires', spec: { schedule: '0 0 31 2 *' } },
    { name: 'a zone', spec: { timeZone: 'Europe/Berlin' } },
    { name: 'the longest zone there is', spec: { timeZone: 'America/Argentina/ComodRivadavia' } },
    { name: 'a deadline of 0', spec: { startingDeadlineSeconds: 0 } },
    { name: 'a deadline above 2^53', spec: { startingDeadlineSeconds: 2 ** 60 } },
    { name: 'the largest int64, which JSON reads as 2^63', spec: { startingDeadlineSeconds: 2 ** 63 } },
    { name: 'the largest int32', spec: { successfulJobsHistoryLimit: 2 ** 31 - 1 } },
    { name: 'limits of 0', spec: { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 } },
    { name: 'every policy', spec: { concurrencyPolicy: 'Replace' } },
    { name: 'suspend', spec: { suspend: true } },
    { name: 'selectors that are generated', spec: withJob({ manualSelector: false, selector: null }) },
  ])('$name', ({ spec }) => {
    expect(validateCronJob(cronJob(spec))).toEqual([]);
  });

  test('the longest name', () => {
    expect(validateCronJob(cronJob({}, undefined, { name: 'n'.repeat(MAX_NAME_LENGTH) }))).toEqual([]);
  });

  test('fields that are left out, or null, where they have a default', () => {
    const { schedule, jobTemplate } = cronJob().spec;
    const spec = { schedule, jobTemplate, timeZone: null, suspend: null, startingDeadlineSeconds: null };
    expect(validateCronJob({ ...cronJob(), spec: spec as unknown as CronJobSpec })).toEqual([]);
  });
});

describe('on update looks only at what changes', () => {
  test.each(refused)('and so takes an object that has $name', ({ spec }) => {
    const old = withSpec(spec);
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    expect(validateCronJob(structuredClone(labelled), old)).toEqual([]);
  });

  test('and so lets a bad schedule be suspended, and be fixed', () => {
    const old = cronJob({ schedule: 'bad', timeZone: 'bad' });
    expect(validateCronJob(cronJob({ schedule: 'bad', timeZone: 'bad', suspend: true }), old)).toEqual([]);
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
    const want = [
      invalid('spec.schedule', '"* * *": must have 5 fields (minute, hour, day of month, month, day of week), not 3'),
    ];
    expect(validateCronJob(cronJob({ schedule: '* * *' }), cronJob({ schedule: '*' }))).toEqual(want);
  });
});

test('lets everything pass that is being deleted', () => {
  const bad = cronJob({ schedule: 'bad' }, undefined, {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    name: 'n'.repeat(60),
  });
  expect(validateCronJob(bad, cronJob())).toEqual([]);
  expect(validateCronJob(bad)).toEqual([]);
});
