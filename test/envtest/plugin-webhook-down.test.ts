/** kubectl tcj while the webhooks of the operator are installed, and their manager is down or hangs. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { batch } from 'controller-runtime';
import { installWebhooks, selfSignedCertificate, uninstallWebhooks } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { CRON_JOB_WEBHOOKS } from '../../hack/webhook/cronjob-webhooks.ts';
import { Scene } from '../support/scene.ts';
import { tcj } from './support/tcj.ts';

/** Of the manager; it takes connections and says nothing. */
async function hangingPort(sockets: Set<Socket>) {
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const IMPATIENT = CRON_JOB_WEBHOOKS.map((webhook) => ({ ...webhook, timeoutSeconds: 1 }));

const SAID =
  /the webhook [mv]cronjob-v1\.kb\.io of this operator does not answer \(.*\), .*: the manager is down, or hangs\. Look at it: kubectl get pods -A -l app\.kubernetes\.io\/name=cronjob-operator\n$/;

test.each(['is down', 'hangs'])('every command that writes says that the manager %s', async (how) => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const manager = await scene.startManager();
  await scene.observed('backup');
  await scene.stopManager(manager);
  const { client, namespace } = scene;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } };
  await client.create(batch.v1.cronJobs, {
    metadata: { name: 'report', namespace },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } } },
  });
  const sockets = new Set<Socket>();
  const { server, port } = await hangingPort(sockets);
  const installation = {
    namespace,
    port: how === 'hangs' ? port : await freePort(),
    caBundle: selfSignedCertificate('nobody').cert,
    declarations: IMPATIENT,
  };
  await installWebhooks(client, installation);
  try {
    await scene.eventually(async () => expect((await tcj(scene, 'suspend backup --dry-run')).code).toBe(1));
    for (const line of ['suspend backup', 'run backup', 'import report', 'import report --dry-run']) {
      const { code, err } = await tcj(scene, line);
      expect({ line, code, err }).toEqual({ line, code: 1, err: expect.stringMatching(SAID) });
    }
    expect((await scene.cronJob('backup')).spec.suspend).toBe(false);
  } finally {
    await uninstallWebhooks(client, installation);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
