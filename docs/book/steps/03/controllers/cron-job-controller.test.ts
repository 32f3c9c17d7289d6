import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, FakeApiServer, RecordingLogger, startTestManager } from 'controller-runtime/testing';
import { CronJob } from '../api/v1/cron-job-types.ts';
import { manifests } from '../cmd/manifests.ts';
import { addCronJobController } from './cron-job-controller.ts';

test('the controller reconciles a new CronJob', async () => {
  await using server = await FakeApiServer.start(manifests);
  const log = new RecordingLogger();
  await using _manager = await startTestManager({ cluster: server, setUp: addCronJobController, log });
  const spec = { schedule: '0 * * * *', jobTemplate: {} };
  await server.client.create(CronJob, { metadata: { namespace: 'default', name: 'a' }, spec });
  await eventually(() => assert.ok(log.records.some(({ message }) => message === 'reconciled the CronJob')));
});
