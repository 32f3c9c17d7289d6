/** What the webhook of CronJobRuns reads. test/envtest/cronjobrun-webhook.test.ts tests what it refuses. */
import type { AdmissionWebhooks, ValidationResult, WebhookRegistrar } from 'controller-runtime';
import { admissionContext, FakeApiServer, FakeClock, startTestManager } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { cronJobRun } from '../test/support/cron-job-runs.ts';
import { at, cronJob } from '../test/support/cron-jobs.ts';
import { OUR_CRDS } from '../test/support/custom-resource-definitions.ts';
import { setupWithManager } from './cronjob-controller.ts';
import { setupCronJobRunWebhooksWithManager } from './cronjobrun-webhook.ts';
import { cronJobs } from './resources.ts';

test('validates a CronJobRun of a CronJob that another manager runs', async () => {
  await using server = await FakeApiServer.start({ crds: OUR_CRDS });
  let validate: AdmissionWebhooks<CronJobRun>['validateCreate'];
  await using _ = await startTestManager({
    cluster: server,
    clock: new FakeClock(at('12:00:00')),
    setUp: (manager) => {
      setupWithManager(manager, { watchLabelSelector: 'shard!=a' });
      const registrar = {
        for: (_resource: unknown, webhooks: AdmissionWebhooks<CronJobRun>) => {
          validate = webhooks.validateCreate;
          return [];
        },
      } as unknown as WebhookRegistrar; // not generic, because only CronJobRuns are registered
      setupCronJobRunWebhooksWithManager(registrar, manager);
    },
  });
  const { metadata, ...object } = cronJob();
  const labels = { shard: 'a' };
  server.put(cronJobs, { ...object, metadata: { namespace: 'default', name: metadata.name, labels } });
  const overrides = { containers: [{ name: 'hello', args: ['--full'] }] };
  const validateRun = async (cronJobName: string): Promise<ValidationResult | undefined> => {
    const run = cronJobRun({ manual: {}, overrides, cronJobName });
    return (await validate?.(run, admissionContext({ now: new Date(at('12:00:00')) }))) as ValidationResult;
  };
  expect(await validateRun('hello')).toMatchObject({ errors: [{ field: 'spec.overrides' }], warnings: [] });
  expect(await validateRun('missing')).toEqual({
    errors: [],
    warnings: ['spec.cronJobName: there is no CronJob missing; runs start if it is created within an hour'],
  });
});
