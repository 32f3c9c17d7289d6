import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { defaultCronJob } from './cronjob-defaulting.ts';
import { type CronJob, type CronJobSpec, cronJobSpecSchema } from './cronjob-types.ts';

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
