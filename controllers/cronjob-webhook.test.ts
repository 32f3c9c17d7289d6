import { ApiError, LiveClient } from 'controller-runtime';
import { admissionContext, FakeClock, RecordingTransport } from 'controller-runtime/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../api/v1/cronjob-types.ts';
import { createWebhooks } from '../test/support/create-webhooks.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { cronJobs } from './resources.ts';

const CONTEXT = admissionContext();

function setUp() {
  const transport = new RecordingTransport();
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  return { transport, ...createWebhooks({ client: new LiveClient(transport, { fieldManager: 'tester' }), clock }) };
}

const invalidJob = () => {
  const causes = [{ reason: 'FieldValueInvalid', field: 'spec.parallelism', message: 'Invalid value: -1' }];
  throw new ApiError(422, { message: 'Job.batch is invalid', details: { causes } });
};
const TEMPLATE_ERROR = {
  reason: 'FieldValueInvalid',
  field: 'spec.jobTemplate.spec.parallelism',
  message: 'Invalid value: -1',
};

test('are those of CronJobs', () => {
  expect(setUp().resources).toEqual([cronJobs]);
});

test('fills in defaults', () => {
  const { schedule, jobTemplate } = cronJob().spec;
  const bare = { ...cronJob(), spec: { schedule, jobTemplate } as CronJobSpec };
  expect(setUp().webhooks.default?.(bare, CONTEXT)).toEqual(cronJob());
});

test('reports all faults at once, including faults of the template, and warns', async () => {
  const { validateCreate, transport } = setUp();
  transport.answer = invalidJob;
  const object = cronJob({ schedule: 'bad', startingDeadlineSeconds: 14 });
  const { errors, warnings } = await validateCreate(object, CONTEXT);
  expect(errors).toEqual([expect.objectContaining({ field: 'spec.schedule' }), TEMPLATE_ERROR]);
  expect(warnings).toEqual([expect.stringContaining('14 is less than the 15 s')]);
});

test('looks ahead from the time of the review', async () => {
  const object = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
  const { warnings } = await setUp().validateCreate(object, CONTEXT);
  expect(warnings).toEqual([
    expect.stringContaining('2026-03-29 02:30 is skipped'),
    expect.stringContaining('2026-10-25 02:30 runs twice'),
  ]);
});

const other = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'other' }] } } },
};

test.each([
  ['on create', cronJob(), undefined, CONTEXT],
  ['of a suspended CronJob', cronJob({ suspend: true }), undefined, CONTEXT],
  ['when the request is a dry run itself', cronJob(), undefined, { ...CONTEXT, isDryRun: true }],
  ['when an update changes it', cronJob({ jobTemplate: other }), cronJob(), CONTEXT],
])('tries the template %s', async (_, object, old, context) => {
  const { validateCreate, validateUpdate, transport } = setUp();
  transport.answer = invalidJob;
  const verdict = old === undefined ? validateCreate(object, context) : validateUpdate(object, old, context);
  expect(await verdict).toEqual({ errors: [TEMPLATE_ERROR], warnings: [] });
});

test.each([
  ['when an update leaves it as it is', cronJob({ successfulJobsHistoryLimit: 1 })],
  ['of what is being deleted', cronJob({ jobTemplate: {} }, undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ['when there is none', { ...cronJob(), spec: { schedule: '0 * * * *' } as CronJobSpec }],
  ['when there is no spec', { ...cronJob(), spec: undefined } as unknown as CronJob],
])('does not try the template %s', async (_, object) => {
  const { validateUpdate, transport } = setUp();
  const { warnings } = await validateUpdate(object, cronJob(), CONTEXT);
  expect(transport.requests).toEqual([]);
  expect(warnings).toEqual([]);
});

test('checks only the changed fields of an update', async () => {
  const old = cronJob({ schedule: 'bad', startingDeadlineSeconds: 0 });
  const object = cronJob({ schedule: 'bad', startingDeadlineSeconds: 0, suspend: true });
  expect(await setUp().validateUpdate(object, old, CONTEXT)).toEqual({ errors: [], warnings: [] });
});

test('has an answer whatever JSON the object is, and whatever the API server does', async () => {
  const anObject = fc
    .tuple(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), fc.boolean())
    .map(([spec, metadata, jobTemplate, isPlausible]) => {
      const broken = { ...cronJob(), metadata, spec: isPlausible ? { ...cronJob().spec, jobTemplate } : spec };
      return broken as unknown as CronJob;
    });
  await fc.assert(
    fc.asyncProperty(anObject, anObject, fc.constantFrom(200, 400, 403, 409, 422, 500), async (object, old, code) => {
      const { validateCreate, validateUpdate, transport } = setUp();
      transport.answer = () => {
        if (code !== 200) throw new ApiError(code, {});
        return {};
      };
      const answer = { errors: expect.any(Array), warnings: expect.any(Array) };
      expect(await validateCreate(object, CONTEXT)).toEqual(answer);
      expect(await validateUpdate(object, old, CONTEXT)).toEqual(answer);
    }),
  );
});
