/** Subresources and deleteAllOf, against a real API server and the fake one. */
import {
  apiextensions,
  apps,
  core,
  defineKind,
  defineSubresource,
  int32,
  policy,
  subresources,
} from 'controller-runtime';
import { customResourceDefinition } from 'controller-runtime/manifests';
import { eventually, FakeApiServer } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { run } from '../../hack/control-plane/run.ts';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

const { pods, serviceAccounts, configMaps } = core.v1;
const { deployments } = apps.v1;
const labels = { app: 'a' };
const podSpec = { containers: [{ name: 'a', image: 'b' }] };

/** A client in a new namespace. */
async function open(server: Server = 'real') {
  if (server === 'fake') {
    const fake = await FakeApiServer.start();
    const [{ client }, namespace] = [fake, 'default'];
    return { client, namespace, key: { namespace, name: 'a' }, [Symbol.asyncDispose]: () => fake.close() };
  }
  const cluster = connect(inject('kubeconfig'));
  const namespace = await createNamespace(inject('apiServer'), 'subresources');
  return { ...cluster, namespace, key: { namespace, name: 'a' } };
}

type Server = 'real' | 'fake';
const SERVERS: readonly Server[] = ['real', 'fake'];

test.each(SERVERS)(
  'scale is read, and updated if the object has not changed since: the %s API server',
  async (server) => {
    await using scene = await open(server);
    const { client, key } = scene;
    const template = { metadata: { labels }, spec: podSpec };
    await client.create(deployments, { metadata: key, spec: { selector: { matchLabels: labels }, template } });
    const { metadata, spec } = await client.getSubresource(deployments, key, subresources.scale);
    expect(spec).toEqual({ replicas: 1 });
    const update = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { replicas: 3 } };
    const scaled = await client.updateSubresource(deployments, key, subresources.scale, update);
    expect(scaled.spec).toEqual({ replicas: 3 });
    expect((await client.get(deployments, key))?.spec.replicas).toBe(3);
    const stale = client.updateSubresource(deployments, key, subresources.scale, update);
    await expect(stale).rejects.toMatchObject({ code: 409 });
  },
);

test('an eviction deletes a Pod that no PodDisruptionBudget protects', async () => {
  await using scene = await open();
  const { client, key, namespace } = scene;
  await client.create(serviceAccounts, { metadata: { namespace, name: 'default' } });
  await client.create(pods, { metadata: { ...key, labels }, spec: podSpec });
  const budget = { maxUnavailable: 0, selector: { matchLabels: labels } };
  const created = await client.create(policy.v1.podDisruptionBudgets, { metadata: key, spec: budget });
  await client.updateStatus(policy.v1.podDisruptionBudgets, { metadata: created.metadata, status: NO_DISRUPTIONS });
  // The API server deletes a pending Pod whatever the budget says.
  const { metadata } = (await client.get(pods, key))!;
  await client.updateStatus(pods, { metadata, status: RUNNING });
  const refused = client.createSubresource(pods, key, subresources.eviction, {});
  await expect(refused).rejects.toMatchObject({ code: 429 });
  await client.delete(policy.v1.podDisruptionBudgets, key);
  await client.createSubresource(pods, key, subresources.eviction, { deleteOptions: { gracePeriodSeconds: 0 } });
  expect(await client.get(pods, key)).toBeUndefined();
});

const NO_DISRUPTIONS = {
  observedGeneration: 1,
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
  expectedPods: 1,
};
const RUNNING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
};

test('the fake API server evicts a Pod', async () => {
  await using scene = await open('fake');
  const { client, key } = scene;
  await client.create(pods, { metadata: key, spec: podSpec });
  await client.createSubresource(pods, key, subresources.eviction, {}, { dryRun: true });
  expect(await client.get(pods, key)).toBeDefined();
  await client.createSubresource(pods, key, subresources.eviction, {});
  expect(await client.get(pods, key)).toBeUndefined();
  const unknown = defineSubresource<object>('binding', 'v1', 'Binding');
  await expect(client.createSubresource(pods, key, unknown, {})).rejects.toMatchObject({ code: 404 });
});

test.each(SERVERS)('a ServiceAccount gets a token for an audience: the %s API server', async (server) => {
  await using scene = await open(server);
  const { client, key } = scene;
  await client.create(serviceAccounts, { metadata: key });
  const request = { spec: { audiences: ['a'], expirationSeconds: 600 } };
  const { status, spec } = await client.createSubresource(serviceAccounts, key, subresources.token, request);
  const payload: unknown = JSON.parse(Buffer.from(status.token.split('.')[1] ?? '', 'base64url').toString());
  expect(payload).toMatchObject({ aud: ['a'], sub: `system:serviceaccount:${key.namespace}:a` });
  expect(spec.expirationSeconds).toBe(600);
});

test.each(SERVERS)('deleteAllOf deletes the selected objects of a namespace: the %s API server', async (server) => {
  await using scene = await open(server);
  const { client, namespace } = scene;
  for (const name of ['a', 'b']) await client.create(configMaps, { metadata: { namespace, name, labels: { name } } });
  await client.deleteAllOf(configMaps, { namespace, labelSelector: 'name=a', dryRun: true });
  await client.delete(configMaps, { namespace, name: 'a' }, { dryRun: true });
  await client.deleteAllOf(configMaps, { namespace, labelSelector: 'name=b' });
  await client.deleteAllOf(configMaps, { namespace, fieldSelector: 'metadata.name=b' });
  expect((await client.list(configMaps, { namespace })).map(({ metadata }) => metadata.name)).toEqual(['a']);
});

test('a kind with scale and selectableFields is scaled with kubectl, and selected by its field', async () => {
  const Fleet = defineKind({
    group: 'fleets.example.com',
    version: 'v1',
    kind: 'Fleet',
    spec: z.object({ color: z.string(), replicas: int32().default(1) }),
    status: z.object({ replicas: int32().optional(), selector: z.string().optional() }),
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
    selectableFields: ['.spec.color'],
  });
  await using scene = await open();
  const { client, key, namespace } = scene;
  const { apiVersion: _, kind: __, ...crd } = customResourceDefinition(Fleet);
  await client.create(apiextensions.v1.customResourceDefinitions, crd);
  const create = (name: string, color: string) =>
    eventually(() => client.create(Fleet, { metadata: { namespace, name }, spec: { color } }));
  await Promise.all([create('a', 'red'), create('b', 'blue')]);
  const scaleFlags = ['--kubeconfig', inject('kubeconfig'), '--namespace', namespace, '--replicas=3'];
  await run(inject('kubectl'), ['scale', 'fleets.fleets.example.com', 'a', ...scaleFlags]);
  expect((await client.get(Fleet, key))?.spec.replicas).toBe(3);
  const blue = await client.list(Fleet, { namespace, fieldSelector: 'spec.color=blue' });
  expect(blue.map(({ metadata }) => metadata.name)).toEqual(['b']);
});
