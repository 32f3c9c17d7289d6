import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiErrorOf } from 'controller-runtime';
import {
  admissionReview,
  eventually,
  installWebhooks,
  postReview,
  uninstallWebhooks,
  writeCertificate,
} from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { CRON_JOB_WEBHOOKS } from '../../hack/webhook/cronjob-webhooks.ts';
import { kubeconfigNowhere } from '../support/kubeconfig-nowhere.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { Scene } from '../support/scene.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cronJobManifest } from './support/webhook-scene.ts';

const path = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const deletion = admissionReview({ operation: 'DELETE' });
const OFF = 'webhooks are off';

describe('the bundled manager', () => {
  test('refuses what the rules of a CronJob refuse, and lets the rest pass', async () => {
    await using scene = await Scene.open();
    const [folder, port] = [temporaryFolder(), await freePort()];
    const { cert: caBundle } = writeCertificate(folder);
    const clientCa = join(folder, 'client-ca.crt');
    writeFileSync(clientCa, inject('webhookClientCa'));
    const flags = [
      ...[`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, `--webhook-client-ca-file=${clientCa}`],
      ...[`--namespaces=${scene.namespace}`, '--webhook-shutdown-delay=0s'],
    ];
    await using manager = new ManagerProcess(inject('kubeconfig'), flags);
    await manager.logged('listening', { server: 'webhooks' });
    await eventually(async () => {
      expect(await manager.probe('/readyz/webhook')).toEqual({ status: 200, body: 'ok' });
    });
    const installation = { declarations: CRON_JOB_WEBHOOKS, namespace: scene.namespace, port, caBundle };
    await installWebhooks(scene.client, installation);
    try {
      const error = await eventually(async () => {
        const refused = await tryOut(scene, '61 * * * *').catch((reason) => reason);
        return apiErrorOf(refused) ?? Promise.reject(new Error('the API server does not ask the webhook yet'));
      });
      expect(error).toMatchObject({ code: 422, causes: [{ field: 'spec.schedule' }] });
      expect(await tryOut(scene, '1 * * * *')).toMatchObject({ spec: { schedule: '1 * * * *' } });
      // Whoever shows no certificate, as the API server does.
      await expect(postReview({ port, path, body: deletion })).rejects.toThrow();
    } finally {
      await uninstallWebhooks(scene.client, installation);
    }
    manager.signal('SIGTERM');
    expect(await manager.exited).toBe(0);
    expect(manager.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  test('answers reviews while another process leads', async () => {
    await using scene = await Scene.open();
    const { namespace } = scene;
    const elected = ['--leader-elect', `--leader-election-namespace=${namespace}`, `--namespaces=${namespace}`];
    await using leader = new ManagerProcess(inject('kubeconfig'), elected);
    await leader.logged('controller started');
    const [folder, port] = [temporaryFolder(), await freePort()];
    writeCertificate(folder);
    const webhooks = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`];
    await using standby = new ManagerProcess(inject('kubeconfig'), [...elected, ...webhooks]);
    await standby.logged('another process leads');
    await standby.logged('listening', { server: 'webhooks' });
    expect(await postReview({ port, path, body: deletion })).toMatchObject({ body: { response: { allowed: true } } });
    expect(await standby.probe('/readyz')).toMatchObject({ status: 200 });
  });

  test('answers reviews before its caches have synced', async () => {
    const [folder, port] = [temporaryFolder(), await freePort()];
    writeCertificate(folder);
    await using manager = new ManagerProcess(kubeconfigNowhere(), [
      `--webhook-cert-path=${folder}`,
      `--webhook-port=${port}`,
    ]);
    await manager.logged('listening', { server: 'webhooks' });
    expect(await postReview({ port, path, body: deletion })).toMatchObject({ body: { response: { allowed: true } } });
    expect(await manager.probe('/readyz/webhook')).toEqual({ status: 200, body: 'ok' });
    expect(await manager.probe('/readyz/caches')).toMatchObject({ status: 500 });
  });

  test('works without webhooks when the environment has ENABLE_WEBHOOKS=false', async () => {
    await using scene = await Scene.open();
    const args = [`--namespaces=${scene.namespace}`, '--webhook-cert-path=/nonexistent'];
    await using manager = new ManagerProcess(inject('kubeconfig'), args, { ENABLE_WEBHOOKS: 'false' });
    await manager.logged('controller started');
    expect(await manager.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    expect(await manager.probe('/readyz/webhook')).toMatchObject({ status: 404 });
    expect(manager.lines.filter((line) => line['msg'] === OFF)).toHaveLength(1);
    expect(manager.lines.filter((line) => line['server'] === 'webhooks')).toEqual([]);
  });

  test('without the certificate that it was promised it stops and says what to do', async () => {
    const folder = temporaryFolder();
    await using manager = new ManagerProcess(inject('kubeconfig'), [`--webhook-cert-path=${folder}`]);
    expect(await manager.exited).toBe(1);
    expect(JSON.stringify(manager.lines)).toContain(`put tls.crt and tls.key into ${folder}, or turn webhooks off`);
  });
});

async function tryOut({ client, namespace }: Scene, schedule: string): Promise<CronJob> {
  // The server fills in what is missing.
  const cronJob = cronJobManifest(namespace, schedule) as unknown as CronJob;
  return await client.create(cronJobs, cronJob, { dryRun: true });
}
