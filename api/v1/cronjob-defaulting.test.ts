import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { defaultCronJob } from './cronjob-defaulting.ts';
import { cronJobSpecSchema } from './cronjob-types.ts';

const { schedule, jobTemplate } = cronJob().spec;

test.each([undefined, null])('fills in what the CRD would, for fields that are %j', (nothing) => {
  const defaulted = {
    concurrencyPolicy: nothing,
    suspend: nothing,
    successfulJobsHistoryLimit: nothing,
    failedJobsHistoryLimit: nothing,
  };
  expect(defaultCronJob({ spec: { schedule, jobTemplate, ...defaulted } }).spec).toEqual(
    cronJobSpecSchema.parse({ schedule, jobTemplate }),
  );
});

test.each([undefined, null, 'x', []])('does nothing about a spec that is %j', (spec) => {
  expect(defaultCronJob({ spec })).toEqual({ spec });
});
