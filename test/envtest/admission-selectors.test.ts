/** Webhooks of Pods and evictions on a real API server. */
import { apps, collectDeclarations, core, forbidden, subresourceOf, subresources } from 'controller-runtime';
import { webhookConfigurations, withLocalWebhookUrl } from 'controller-runtime/manifests';
import { eventually, findFreePort, selfSignedCertificate } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const { pods, serviceAccounts } = core.v1;
const { deployments } = apps.v1;
const spec = { containers: [{ name: 'a', image: 'b' }] };
const labels = { 'example.com/test': 'admission-selectors' };
const UNANSWERED = { code: 500, message: expect.stringContaining('failed calling webhook') };

test('a Pod webhook that does not respond blocks Pods, but not the Pods of kube-system', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const { client } = cluster;
  // The selector limits the webhook to the Pods of this test.
  const objectSelector = { matchLabels: labels };
  const declarations = collectDeclarations((webhooks) =>
    webhooks.for(pods, { objectSelector, matchPolicy: 'Equivalent', validateCreate: () => [] }),
  );
  const [declared] = webhookConfigurations(declarations);
  const address = { port: await findFreePort(), caBundle: selfSignedCertificate('absent').cert };
  const configuration = withLocalWebhookUrl(declared!, address);
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const body = { ...configuration, metadata: { name: 'admission-selectors' } };
  await cluster.transport.request({ method: 'POST', path, body });
  try {
    const namespace = await createNamespace(inject('apiServer'), 'admission');
    const create = async (inNamespace: string, podLabels: Readonly<Record<string, string>>) => {
      const metadata = { namespace: inNamespace, generateName: 'pod-', labels: podLabels };
      return await client.create(pods, { metadata, spec }, { dryRun: true });
    };
    for (const each of [namespace, 'kube-system']) {
      await client.apply(serviceAccounts, { metadata: { namespace: each, name: 'default' } }, { force: true });
    }
    await eventually(() => expect(create(namespace, labels)).rejects.toMatchObject(UNANSWERED));
    expect((await create('kube-system', labels)).metadata.labels).toEqual(labels);
    expect((await create(namespace, { app: 'a' })).metadata.labels).toEqual({ app: 'a' });
  } finally {
    await cluster.transport.request({ method: 'DELETE', path: `${path}/admission-selectors` });
  }
});

test('an eviction and a scale are reviewed with their bodies', async () => {
  await using webhooks = await WebhookScene.open((registrar) => {
    registrar.for(subresourceOf(pods, subresources.eviction), {
      validateCreate: ({ metadata, deleteOptions }, { subResource }) =>
        deleteOptions?.gracePeriodSeconds === 7 ? [forbidden('a', `${subResource} of ${metadata.name}`)] : [],
    });
    registrar.for(subresourceOf(deployments, subresources.scale), {
      validateUpdate: (scale, old) =>
        scale.spec.replicas === 3 ? [forbidden('spec.replicas', `${old.spec.replicas} is enough`)] : [],
    });
  });
  const { client, namespace } = webhooks.scene;
  const key = { namespace, name: 'a' };
  await client.apply(serviceAccounts, { metadata: { namespace, name: 'default' } });
  await client.create(pods, { metadata: key, spec });
  const eviction = { deleteOptions: { gracePeriodSeconds: 7 } };
  const evict = () => client.createSubresource(pods, key, subresources.eviction, eviction, { dryRun: true });
  await eventually(() => expect(evict()).rejects.toThrow('eviction of a'));
  const template = { metadata: { labels }, spec };
  await client.create(deployments, { metadata: key, spec: { selector: { matchLabels: labels }, template } });
  const scaled = client.updateSubresource(deployments, key, subresources.scale, { spec: { replicas: 3 } });
  await expect(scaled).rejects.toThrow('spec.replicas: Forbidden: 1 is enough');
  await client.updateSubresource(deployments, key, subresources.scale, { spec: { replicas: 2 } });
  expect((await client.get(deployments, key))?.spec.replicas).toBe(2);
});
