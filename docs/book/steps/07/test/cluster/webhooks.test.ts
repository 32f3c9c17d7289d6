/** The webhooks, which a real API server calls. The numbers are the behaviours of the tutorial. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { collectDeclarations, isInvalid, type SpecInputOf, type WriteOptions } from 'controller-runtime';
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
await environment.installWebhooks({ declarations: collectDeclarations(addWebhooks), namespace, port, caBundle });

after(async () => {
  await environment.stop();
  await manager.stop();
  rmSync(folder, { recursive: true });
});

const create = (name: string, spec: Partial<SpecInputOf<typeof CronJob>> = {}, options: WriteOptions = {}) =>
  environment.client.create(CronJob, { metadata: { namespace, name }, spec: { ...SPEC, ...spec } }, options);

// The API server starts to call each of the new webhooks after a delay.
before(() =>
  eventually(async () => {
    await assert.rejects(create('delay', { schedule: 'invalid' }, { dryRun: true }), isInvalid);
    assert.equal((await create('delay', {}, { dryRun: true })).spec.suspend, false);
  }),
);

test('9: absent fields get defaults', async () => {
  const { spec } = await create('defaults');
  const { concurrencyPolicy, suspend, successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  const limits = [successfulJobsHistoryLimit, failedJobsHistoryLimit];
  assert.deepEqual([concurrencyPolicy, suspend, ...limits], ['Allow', false, 3, 1]);
});

test('10: existing fields keep their values', async () => {
  const values = {
    concurrencyPolicy: 'Forbid',
    suspend: true,
    successfulJobsHistoryLimit: 5,
    failedJobsHistoryLimit: 2,
  } as const;
  const { spec } = await create('values', values);
  assert.deepEqual({ ...spec, ...values }, spec);
});

test('11: a create needs a valid schedule and a name of at most 52 characters', async () => {
  await assert.rejects(create('a'.repeat(53)), /must be no more than 52 characters/);
  await assert.rejects(create('invalid', { schedule: 'invalid-cron-schedule' }), /must have 5 fields/);
  await create('a'.repeat(52), { schedule: '*/5 * * * *' });
});

test('12: an update needs a valid schedule', async () => {
  const { metadata } = await create('update');
  const update = (schedule: string) =>
    environment.client.patch(CronJob, metadata, { kind: 'merge', body: { spec: { schedule } } });
  await assert.rejects(update('61 * * * *'), /minute must be 0-59/);
  assert.equal((await update('0 0 * * *')).spec.schedule, '0 0 * * *');
});
