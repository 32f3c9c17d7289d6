/** kubectl tcj while the webhooks of the operator are installed, and their manager is down or hangs. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { findFreePort, installWebhooks, selfSignedCertificate, uninstallWebhooks } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CRON_JOB_WEBHOOKS } from '../../hack/webhook/cronjob-webhooks.ts';
import { Scene } from '../support/scene.ts';
import { createSource } from './support/batch-source.ts';
import { createObserved, tcj } from './support/tcj.ts';

/** Accepts connections and does not respond. */
async function startHangingServer(): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispose = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: dispose };
}

const SHORT_TIMEOUT_WEBHOOKS = CRON_JOB_WEBHOOKS.map((webhook) => ({ ...webhook, timeoutSeconds: 1 }));

const EXPECTED_MESSAGE =
  /the webhook [mv]cronjob(run)?-v1\.kb\.io of this operator does not respond \(.*\), so .*\. The manager is down or hangs; check it: kubectl get pods -A -l app\.kubernetes\.io\/name=cronjob-operator\n$/;

test.each(['is down', 'hangs'])('every command that writes reports that the manager %s', async (how) => {
  await using scene = await Scene.open();
  await using hanging = await startHangingServer();
  await createObserved(scene);
  await createSource(scene, { metadata: { name: 'report' } });
  const { client, namespace } = scene;
  const port = how === 'hangs' ? hanging.port : await findFreePort();
  const caBundle = selfSignedCertificate('absent').cert;
  const installation = { namespace, port, caBundle, declarations: SHORT_TIMEOUT_WEBHOOKS };
  await installWebhooks(client, installation);
  try {
    await scene.eventually(async () => expect((await tcj(scene, 'suspend backup --dry-run')).code).toBe(1));
    const backfill = 'backfill backup --from 2020-01-01 --to 2021-01-02';
    for (const line of ['suspend backup', 'run backup', backfill, 'import report', 'import report --dry-run']) {
      const { code, err } = await tcj(scene, line);
      expect({ line, code, err }).toEqual({ line, code: 1, err: expect.stringMatching(EXPECTED_MESSAGE) });
    }
    expect((await scene.cronJob('backup')).spec.suspend).toBe(false);
  } finally {
    await uninstallWebhooks(client, installation);
  }
});
