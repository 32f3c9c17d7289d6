/** Both versions on a real API server, which calls the conversion of the manager. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ignoreAlreadyExists, isInvalid } from 'controller-runtime';
import {
  eventually,
  findFreePort,
  startTestEnvironment,
  startTestManager,
  writeCertificate,
} from 'controller-runtime/testing';
import { CronJob } from '../../api/v1/cron-job-types.ts';
import { manifests } from '../../cmd/manifests.ts';
import { addWebhooks } from '../../cmd/operator.ts';
import { SPEC } from './fixture.ts';

const { v2 } = CronJob.versions;
const environment = await startTestEnvironment(manifests);
const namespace = await environment.createNamespace();
const port = await findFreePort();
const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
const { cert: caBundle } = writeCertificate(folder);
const manager = await startTestManager({
  cluster: environment,
  setUp: ({ webhooks }) => addWebhooks(webhooks),
  webhooks: { certificates: { folder }, port, shutdownDelayMs: 0 },
});
await environment.installWebhooks({ kinds: [CronJob], namespace, port, caBundle });

after(async () => {
  await environment.stop();
  await manager.stop();
  rmSync(folder, { recursive: true });
});

const { client } = environment;
const { jobTemplate } = SPEC;

test('a client of v2 reads and writes an object that another client created in v1', async () => {
  const key = { namespace, name: 'a' };
  const spec = { schedule: '*/5 * * * 1-5', jobTemplate };
  // While the API server replaces the conversion, it may respond with 503, also after it has stored the object.
  await eventually(() => ignoreAlreadyExists(client.create(CronJob, { metadata: key, spec })));
  const cronJob = await eventually(async () => (await client.get(v2, key)) ?? assert.fail('no CronJob'));
  assert.deepEqual(cronJob.spec.schedule, { minute: '*/5', dayOfWeek: '1-5' });
  await client.patch(v2, key, { kind: 'merge', body: { spec: { schedule: { hour: '3' } } } });
  assert.equal((await client.get(CronJob, key))?.spec.schedule, '*/5 3 * * 1-5');
});

test('a schedule without parts is an expression', async () => {
  const create = (schedule: object) =>
    client.create(v2, { metadata: { namespace, name: 'b' }, spec: { schedule, jobTemplate } });
  await assert.rejects(create({ expression: '0 * * * *' }), isInvalid);
  await assert.rejects(create({ expression: '@hourly', minute: '0' }), isInvalid);
  await create({ expression: '@hourly' });
  assert.equal((await client.get(CronJob, { namespace, name: 'b' }))?.spec.schedule, '@hourly');
});
