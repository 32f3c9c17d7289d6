import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { completeCronJob, defaultCronJob } from './cronjob-defaulting.ts';
import { MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';
import { type CronJob, type CronJobSpec, type CronJobStatus, cronJobSpecSchema } from './cronjob-types.ts';

const { schedule, jobTemplate } = cronJob().spec;

function withSpec(spec: unknown): CronJob {
  return { ...cronJob(), spec: spec as CronJobSpec };
}

test('fills in what the CRD would', () => {
  const { spec } = defaultCronJob(withSpec({ schedule, jobTemplate }));
  expect(spec).toEqual(cronJobSpecSchema.parse({ schedule, jobTemplate }));
  expect(Object.keys(spec)).toHaveLength(6);
});

test('takes null for nothing', () => {
  const nulls = {
    concurrencyPolicy: null,
    suspend: null,
    successfulJobsHistoryLimit: null,
    failedJobsHistoryLimit: null,
  };
  expect(defaultCronJob(withSpec({ schedule, jobTemplate, ...nulls })).spec).toEqual(
    cronJobSpecSchema.parse({ schedule, jobTemplate }),
  );
});

test('leaves alone what is there, wrong or not', () => {
  const spec = {
    schedule: 'bad',
    jobTemplate,
    timeZone: '',
    concurrencyPolicy: '',
    suspend: false,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: -1,
  };
  expect(defaultCronJob(withSpec(spec)).spec).toEqual(spec);
});

test('leaves the object it is given as it is', () => {
  const given = withSpec({ schedule, jobTemplate });
  defaultCronJob(given);
  expect(given.spec).toEqual({ schedule, jobTemplate });
});

test.each([undefined, null, 'x', []])('does nothing about a spec that is %j', (spec) => {
  expect(defaultCronJob(withSpec(spec))).toEqual(withSpec(spec));
});

describe('a stored CronJob', () => {
  const withStatus = (status: unknown) => completeCronJob({ ...cronJob(), status: status as CronJobStatus }).status;

  test('that has all it should have is returned as it is', () => {
    const active = [{ name: 'a', uid: 'b' }];
    for (const given of [cronJob(), cronJob({ timeZone: 'UTC', startingDeadlineSeconds: 5 }, { active })]) {
      expect(completeCronJob(given)).toBe(given);
    }
  });

  test('gets the defaults when another CRD has none', () => {
    const { spec } = completeCronJob(withSpec({ schedule, jobTemplate, timeZone: 'UTC', startingDeadlineSeconds: 5 }));
    const given = { schedule, jobTemplate, timeZone: 'UTC', startingDeadlineSeconds: 5 };
    expect(spec).toEqual(cronJobSpecSchema.parse(given));
  });

  test.each([undefined, [], 'spec', {}])(
    'has a schedule that is invalid and an empty template when there is none (%j)',
    (spec) => {
      const defaults = cronJobSpecSchema.omit({ schedule: true }).parse({ jobTemplate: {} });
      expect(completeCronJob(withSpec(spec)).spec).toEqual({ ...defaults, schedule: '' });
    },
  );

  test("has no value of a type that is not the field's", () => {
    const odd = { ...cronJob().spec, timeZone: 5, startingDeadlineSeconds: '5', suspend: 'no', schedule: 7 };
    expect(completeCronJob(withSpec(odd)).spec).toEqual({ ...cronJob().spec, timeZone: '', schedule: '' });
  });

  const optional = {
    startingDeadlineSeconds: 5,
    suspendUntil: '2026-01-02T15:04:05Z',
    recentRunsLimit: 0,
    startTimeoutSeconds: 5,
    expectSuccessWithinSeconds: 5,
    pauseAfterFailures: 5,
    runContext: 'Env',
  } as const;

  test('keeps every optional field that has a value of its type', () => {
    const given = cronJob(optional);
    expect(completeCronJob(given)).toBe(given);
  });

  describe.each(Object.keys(optional))('has no %s', (field) => {
    test.each([true, [], {}, field === 'runContext' || field === 'suspendUntil' ? 5 : '5'])(
      'when it is %j, and keeps all others',
      (value) => {
        const { [field]: _, ...others } = { ...cronJob(optional).spec } as Record<string, unknown>;
        expect(completeCronJob(withSpec({ ...others, [field]: value })).spec).toEqual(others);
      },
    );
  });

  const status = {
    recentRuns: ['2026-01-01T00:00:00Z Failed hello-1 Schedule'],
    recentSkips: ['2026-01-01T00:00:00Z Suspended'],
    consecutiveFailures: 2,
    paused: { reason: 'TooManyFailures', since: '2026-01-01T00:00:00Z' },
    lastResume: 'a',
    failedStart: { jobName: 'hello-1', reason: 'Refused', message: 'quota' },
    successExpectedSince: '2026-01-01T00:00:00Z',
    suspendedUntil: '2026-01-02T00:00:00Z',
    lastRun: { jobName: 'hello-1', startTime: '2026-01-01T00:00:00Z', result: 'Running' },
    lastManualRun: 'b',
  } as const satisfies CronJobStatus;

  test('keeps every field of a status that has a value of its type', () => {
    const given = cronJob({}, status);
    expect(completeCronJob(given)).toBe(given);
  });

  test.each([
    ['recentRuns', 'none'],
    ['recentSkips', {}],
    ['consecutiveFailures', '2'],
    ['paused', true],
    ['paused', {}],
    ['paused', { reason: 'TooManyFailures' }],
    ['paused', { reason: 5, since: '2026-01-01T00:00:00Z' }],
    ['paused', { reason: 'TooManyFailures', since: 5 }],
    ['paused', { reason: 'TooManyFailures', since: 'yesterday' }],
    ['consecutiveFailures', -1],
    ['consecutiveFailures', 0.5],
    ['consecutiveFailures', 2 ** 31],
    ['lastRun', 'hello-1'],
    ['lastRun', { jobName: 5, result: 'Running' }],
    ['lastRun', { jobName: 'hello-1', result: 'Lost' }],
    ['lastRun', { jobName: 'hello-1', result: 'Running', startTime: 'yesterday' }],
    ['lastRun', { jobName: 'hello-1', result: 'Running', completionTime: 5 }],
    ['lastRun', { jobName: 'hello-1', result: 'Failed', reason: {} }],
    ['lastResume', 5],
    ['failedStart', 'yes'],
    ['failedStart', { jobName: 5, reason: 'Refused' }],
    ['failedStart', { jobName: 'hello-1', reason: 'Other' }],
    ['failedStart', { jobName: 'hello-1', reason: 'Refused', message: 5 }],
  ] as const)('has no %s in its status when that is %j, and keeps all else', (field, value) => {
    const { [field]: _, ...others } = { ...status, more: 1 };
    expect(withStatus({ ...others, [field]: value })).toEqual(others);
  });

  test('is returned as it is when its fields are null: the client hands on no null', () => {
    const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    const given = { ...withSpec({ ...cronJob().spec, ...nulls(optional) }), status: nulls(status) };
    expect(completeCronJob(given)).toBe(given);
  });

  test.each(['recentRuns', 'recentSkips', 'reported'])('has only the texts of %s', (field) => {
    expect(withStatus({ [field]: ['a', 5, null, {}, 'b'], more: 1 })).toEqual({ [field]: ['a', 'b'], more: 1 });
  });

  test.each(['recentRuns', 'recentSkips'])('has only the lines of %s that may be stored', (field) => {
    const longest = 'a'.repeat(MAX_RECENT_LINE_LENGTH);
    expect(withStatus({ [field]: [`${longest}a`, longest] })).toEqual({ [field]: [longest] });
  });

  test('has the first condition of each type: the API server would store no list with two of one', () => {
    const condition = (type: string, message: string) => ({ type, message });
    const [first, other] = [condition('Mine', 'first'), condition('Available', '')];
    const given = [{ type: 'Mine' }, first, other, condition('Mine', 'second')];
    expect(withStatus({ conditions: given })).toEqual({ conditions: [first, other] });
    expect(withStatus({ conditions: [first, other, first] })).toEqual({ conditions: [first, other] });
  });

  test('keeps what it does not know', () => {
    expect(completeCronJob(withSpec({ schedule, jobTemplate, more: 1 })).spec).toMatchObject({ more: 1 });
    expect(withStatus({ active: 'none', more: 1 })).toEqual({ more: 1 });
  });

  test('has a status only when that is one, with lists of what they should hold', () => {
    const condition = { type: 'Available', message: '' };
    expect(withStatus('fine')).toBeUndefined();
    expect(
      withStatus({ active: [{ name: 'a' }, {}, 'b', { name: '' }], conditions: [condition, 5, { type: 'A' }] }),
    ).toEqual({
      active: [{ name: 'a' }],
      conditions: [condition],
    });
  });
});
