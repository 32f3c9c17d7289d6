/** Our webhooks on a real API server while no manager responds: a deletion succeeds nevertheless. */
import { randomUUID } from 'node:crypto';
import { resourcePath } from 'controller-runtime/kubernetes';
import {
  eventually,
  findFreePort,
  installWebhooks,
  selfSignedCertificate,
  uninstallWebhooks,
  type WebhookInstallation,
} from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { CRON_JOB_WEBHOOKS } from '../../hack/webhook/cronjob-webhooks.ts';
import { connect } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

const NO_RESPONSE_ERROR = { code: 500, message: expect.stringContaining('failed calling webhook') };

/** A CronJob with a finalizer, in a namespace for which the API server calls a webhook that does not respond. */
async function setUp(only: NonNullable<WebhookInstallation['only']>) {
  const cluster = connect(inject('kubeconfig'));
  const { client } = cluster;
  const namespace = await createNamespace(inject('apiServer'), 'unanswered');
  const { spec } = cronJob();
  const metadata = { name: 'hello', namespace, finalizers: ['example.com/last'] };
  const { metadata: key } = await client.create(CronJob, { metadata, spec });
  const [port, caBundle] = [await findFreePort(), selfSignedCertificate('absent').cert];
  const installation = { declarations: CRON_JOB_WEBHOOKS, namespace, port, caBundle, only };
  await installWebhooks(client, installation);
  const merge = (change: object) => client.patch(cronJobs, key, { kind: 'merge', body: { metadata: change } });
  await eventually(() => expect(merge({ labels: { attempt: randomUUID() } })).rejects.toMatchObject(NO_RESPONSE_ERROR));
  const dispose = async () => {
    await uninstallWebhooks(client, installation);
    await cluster[Symbol.asyncDispose]();
  };
  return { ...cluster, namespace, key, merge, [Symbol.asyncDispose]: dispose };
}

describe.each(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const)(
  'with a %s and no responding manager',
  (only) => {
    test('a CronJob is deleted in the foreground after it loses its finalizers', async () => {
      await using scene = await setUp(only);
      const { client, key, merge } = scene;
      await client.delete(cronJobs, key, { propagationPolicy: 'Foreground' });
      await merge({ labels: { team: 'a' } });
      await merge({ finalizers: null });
      expect(await client.get(cronJobs, key)).toBeUndefined();
    });

    test('a namespace with a CronJob is deleted', async () => {
      await using scene = await setUp(only);
      const { client, transport, namespace, key, merge } = scene;
      const path = `/api/v1/namespaces/${namespace}`;
      await transport.request({ method: 'DELETE', path });
      // Does the work of the namespace controller and of the owner of the finalizer: there is no controller manager here.
      await transport.request({ method: 'DELETE', path: resourcePath(cronJobs, namespace) });
      await merge({ finalizers: null });
      expect(await client.list(cronJobs, { namespace })).toEqual([]);
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: { finalizers: [] } };
      await transport.request({ method: 'PUT', path: `${path}/finalize`, body });
      await expect(transport.request({ method: 'GET', path })).rejects.toMatchObject({ code: 404 });
      expect(await client.get(cronJobs, key)).toBeUndefined();
    });
  },
);
