import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isInvalid } from 'controller-runtime';
import { startTestEnvironment } from 'controller-runtime/testing';
import { CronJob } from '../../api/v1/cron-job-types.ts';
import { manifests } from '../../cmd/manifests.ts';

const environment = await startTestEnvironment(manifests);
after(() => environment.stop());

const pod = { restartPolicy: 'OnFailure', containers: [{ name: 'hello', image: 'busybox:1.37' }] };
const spec = { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: pod } } } };

test('the API server accepts a CronJob', async () => {
  const namespace = await environment.createNamespace();
  const cronJob = await environment.client.create(CronJob, { metadata: { namespace, name: 'a' }, spec });
  assert.equal(cronJob.spec.schedule, '0 * * * *');
});

test('the API server refuses values outside the schema', async () => {
  const metadata = { namespace: await environment.createNamespace(), name: 'a' };
  const create = (change: object) => environment.client.create(CronJob, { metadata, spec: { ...spec, ...change } });
  await assert.rejects(create({ concurrencyPolicy: 'Sometimes' }), isInvalid);
  await assert.rejects(create({ startingDeadlineSeconds: -1 }), isInvalid);
  await assert.rejects(create({ jobTemplate: { spec: { template: { spec: { containers: [{}] } } } } }), isInvalid);
});
