import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { completeCronJob, defaultCronJob } from './cronjob-defaulting.ts';
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
