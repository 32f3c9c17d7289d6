/** What does not compile. `tsc` is the judge: an error that is expected and does not come is one. */
import { expect, test } from 'vitest';
import { apps, type Deployment } from '../kubernetes/apps.ts';
import { core, type Node } from '../kubernetes/core.ts';
import { networking } from '../kubernetes/networking.ts';
import { controllerReference } from '../kubernetes/owners.ts';
import type { Resource } from '../kubernetes/resource.ts';
import { widget } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { LiveClient } from './live-client.ts';

const { deployments } = apps.v1;
const { configMaps, nodes, pods } = core.v1;
const key = { namespace: 'default', name: 'a' };
const metadata = { ...key, uid: 'u', resourceVersion: '1' };
const selector = { matchLabels: { app: 'a' } };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };

/** A client, and the bodies that it has sent. */
function scene() {
  const transport = new RecordingTransport();
  transport.answer = () => ({ spec: {} });
  return { client: new LiveClient(transport, { fieldManager: 'tester' }), requests: transport.requests };
}

test('apply knows the fields of a Deployment, all the way down', async () => {
  const { client, requests } = scene();
  await client.apply(deployments, { metadata: key, spec: { replicas: 2, template: { spec: { hostNetwork: true } } } });
  await client.apply(deployments, { metadata: key, spec: { replicas: undefined } });
  // @ts-expect-error: replicas
  await client.apply(deployments, { metadata: key, spec: { replica: 2 } });
  // @ts-expect-error: a number
  await client.apply(deployments, { metadata: key, spec: { replicas: '2' } });
  // @ts-expect-error: image
  await client.apply(deployments, { metadata: key, spec: { template: { spec: { containers: [{ imag: 'b' }] } } } });
  // @ts-expect-error: labels
  await client.apply(deployments, { metadata: { ...key, label: {} } });
  // @ts-expect-error: it lives in a namespace
  await client.apply(deployments, { metadata: { name: 'a' } });
  // @ts-expect-error: its kind is another
  await client.apply(deployments, { kind: 'Job', metadata: key });
  const ownerReferences = [controllerReference(widget())];
  // @ts-expect-error: replicas
  await client.apply(deployments, { metadata: { ...key, ownerReferences }, spec: { replica: 2 } });
  const applied = await client.apply(deployments, { metadata: key });
  // @ts-expect-error: replicas
  expect(applied.spec.replica).toBeUndefined();
  expect(requests).toHaveLength(10);
});

test('create wants what an object cannot do without', async () => {
  const { client, requests } = scene();
  await client.create(deployments, { metadata: key, spec: { selector, template } });
  // @ts-expect-error: a selector
  await client.create(deployments, { metadata: key, spec: { template } });
  // @ts-expect-error: a spec
  await client.create(deployments, { metadata: key });
  // @ts-expect-error: it lives in a namespace
  await client.create(configMaps, { metadata: { name: 'a' } });
  // @ts-expect-error: no namespace holds it
  await client.create(nodes, { metadata: key });
  expect(requests).toHaveLength(5);
});

test('keys have a namespace where objects have one, and none where they have none', async () => {
  const { client, requests } = scene();
  await client.get(pods, key);
  await client.get(nodes, { name: 'a' });
  // @ts-expect-error: it lives in a namespace
  await client.get(pods, { name: 'a' });
  // @ts-expect-error: no namespace holds it
  await client.get(nodes, key);
  // @ts-expect-error: it lives in a namespace
  await client.delete(pods, { name: 'a' });
  // @ts-expect-error: no namespace holds it
  await client.delete(nodes, key);
  // @ts-expect-error: it lives in a namespace
  await client.patch(pods, { name: 'a' }, { kind: 'merge', body: {} });
  // @ts-expect-error: no namespace holds it
  await client.updateStatus(nodes, { metadata, status: {} });
  const untyped: Resource = pods;
  await client.get(untyped, { name: 'a' });
  expect(requests).toHaveLength(9);
});

test('a resource is namespaced where the type of its objects is', () => {
  const parts = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
  const right: Resource<Deployment> = { ...parts, namespaced: true };
  // @ts-expect-error: it lives in a namespace
  const wrong: Resource<Deployment> = { ...parts, namespaced: false };
  // @ts-expect-error: no namespace holds it
  const wrongNode: Resource<Node> = { ...parts, namespaced: true };
  expect([right.namespaced, wrong.namespaced, wrongNode.namespaced]).toEqual([true, false, true]);
});

test('merge patches name fields that there are, or remove them', async () => {
  const { client, requests } = scene();
  const merge = { kind: 'merge' } as const;
  await client.patch(deployments, key, { ...merge, body: { spec: { replicas: 2, strategy: null } } });
  await client.patch(deployments, key, { ...merge, body: { metadata: { labels: { a: null }, finalizers: null } } });
  // @ts-expect-error: replicas
  await client.patch(deployments, key, { ...merge, body: { spec: { replica: 2 } } });
  // @ts-expect-error: lists are replaced as a whole, and a container has a name
  await client.patch(pods, key, { ...merge, body: { spec: { containers: [{ image: 'b' }] } } });
  // @ts-expect-error: no operation of RFC 6902
  await client.patch(deployments, key, { kind: 'json', body: [{ op: 'set', path: '/a', value: 1 }] });
  // @ts-expect-error: a value
  await client.patch(deployments, key, { kind: 'json', body: [{ op: 'add', path: '/a' }] });
  expect(requests).toHaveLength(6);
});

test('fields have the names and the types that JSON has', async () => {
  const { client, requests } = scene();
  const { networkPolicies } = networking.v1;
  const from = [{ podSelector: selector }];
  await client.apply(networkPolicies, {
    metadata: key,
    spec: { ingress: [{ from, ports: [{ port: 80 }, { port: 'http' }] }] },
  });
  // @ts-expect-error: client-node's name for it
  await client.apply(networkPolicies, { metadata: key, spec: { ingress: [{ _from: from }] } });
  // @ts-expect-error: an instant is a string
  await client.updateStatus(pods, { metadata, status: { startTime: new Date() } });
  await client.updateStatus(pods, { metadata, status: { startTime: '2026-01-01T00:00:00Z' } });
  const read = await client.get(pods, key);
  // @ts-expect-error: nothing that was read is changed in place
  if (read) read.spec.hostname = 'a';
  expect(requests).toHaveLength(5);
});
