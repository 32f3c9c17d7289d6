/** Code that must not compile. The test fails in `tsc` if an expected error is missing. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { core, type Node } from '../kubernetes/core.ts';
import { networking } from '../kubernetes/networking.ts';
import type { Unstructured } from '../kubernetes/object.ts';
import { controllerReference } from '../kubernetes/owners.ts';
import { namespacedResource, type Resource } from '../kubernetes/resource.ts';
import { apps, type Deployment } from '../kubernetes/workloads.ts';
import { defineKind } from '../schema/define-kind.ts';
import type { Kind, ObjectOf } from '../schema/kind.ts';
import { widget } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import type { CachedReader } from './client.ts';
import { createOrUpdate } from './create-or-update.ts';
import { LiveClient } from './live-client.ts';

const { deployments } = apps.v1;
const { configMaps, nodes, pods } = core.v1;
const key = { namespace: 'default', name: 'a' };
const metadata = { ...key, uid: 'u', resourceVersion: '1' };
const selector = { matchLabels: { app: 'a' } };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };

const transport = new RecordingTransport();
transport.answer = () => ({ metadata: { name: 'made', resourceVersion: '1' }, spec: { image: 'a' } });
const client = new LiveClient(transport, { fieldManager: 'tester' });

/** Returns an object without fields, because the tests use only its type. */
function createObject<K extends Kind>(_: K): ObjectOf<K> {
  return { metadata } as unknown as ObjectOf<K>;
}

test('apply checks the fields of a Deployment at every level', async () => {
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
  // @ts-expect-error: it is namespaced
  await client.apply(deployments, { metadata: { name: 'a' } });
  // @ts-expect-error: its kind is another
  await client.apply(deployments, { kind: 'Job', metadata: key });
  const ownerReferences = [controllerReference(widget())];
  // @ts-expect-error: replicas
  await client.apply(deployments, { metadata: { ...key, ownerReferences }, spec: { replica: 2 } });
  const applied = await client.apply(deployments, { metadata: key });
  // @ts-expect-error: replicas
  expect(applied.spec.replica).toBeUndefined();
});

test('create requires the required fields of an object', async () => {
  await client.create(deployments, { metadata: key, spec: { selector, template } });
  // @ts-expect-error: a selector
  await client.create(deployments, { metadata: key, spec: { template } });
  // @ts-expect-error: a spec
  await client.create(deployments, { metadata: key });
  // @ts-expect-error: it is namespaced
  await client.create(configMaps, { metadata: { name: 'a' } });
  // @ts-expect-error: it is cluster-scoped
  await client.create(nodes, { metadata: key });
});

const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({
    image: z.string(),
    replicas: z.int().default(1),
    tls: z.object({ secret: z.string(), days: z.int().default(90) }).optional(),
  }),
});

test('create accepts the spec of a custom resource without defaults and returns the stored object', async () => {
  const { spec } = await client.create(Website, { metadata: key, spec: { image: 'a' } });
  const replicas: number = spec.replicas;
  await client.create(Website, { metadata: key, spec: { image: 'a', replicas: 2, tls: { secret: 'b' } } });
  // @ts-expect-error: an image
  await client.create(Website, { metadata: key, spec: { replicas: 2 } });
  // @ts-expect-error: a number
  await client.create(Website, { metadata: key, spec: { image: 'a', replicas: '2' } });
  // @ts-expect-error: a spec
  await client.create(Website, { metadata: key });
  // @ts-expect-error: replicas
  await client.create(Website, { metadata: key, spec: { image: 'a', replica: 2 } });
  await client.apply(Website, { metadata: key, spec: { image: 'a', tls: { secret: 'b' } } });
  // @ts-expect-error: a stored object has them
  await client.update(Website, { ...createObject(Website), spec: { image: 'a' } });
  const made = await createOrUpdate(client, Website, key, (site) => ({ spec: { ...site?.spec, image: 'a' } }));
  expect([replicas, made.result]).toEqual([undefined, 'unchanged']);
});

test('create accepts generateName instead of a name', async () => {
  const { metadata } = await client.create(configMaps, { metadata: { namespace: 'default', generateName: 'a-' } });
  const { name }: { name: string } = metadata;
  // @ts-expect-error: a name, or a prefix of one
  await client.create(configMaps, { metadata: { namespace: 'default' } });
  // @ts-expect-error: one of the two
  await client.create(configMaps, { metadata: { ...key, generateName: 'a-' } });
  // @ts-expect-error: it is namespaced
  await client.create(configMaps, { metadata: { generateName: 'a-' } });
  await client.create(Website, { metadata: { namespace: 'default', generateName: 'a-' }, spec: { image: 'a' } });
  expect(name).toBe('made');
  expect(transport.requests.at(-1)).toMatchObject({ method: 'POST', body: { metadata: { generateName: 'a-' } } });
});

test('lists of a cluster-scoped kind take no namespace', async () => {
  await client.list(pods, { namespace: 'default' });
  await client.list(nodes, { labelSelector: 'a' });
  // @ts-expect-error: they are cluster-scoped
  await client.list(nodes, { namespace: 'default' });
  const cached = client as unknown as CachedReader; // only types matter here
  // @ts-expect-error: they are cluster-scoped
  await cached.list(nodes, { namespace: 'default' });
});

test('keys have a namespace only for namespaced kinds', async () => {
  await client.get(pods, key);
  await client.get(nodes, { name: 'a' });
  // @ts-expect-error: it is namespaced
  await client.get(pods, { name: 'a' });
  // @ts-expect-error: it is cluster-scoped
  await client.get(nodes, key);
  // @ts-expect-error: it is namespaced
  await client.delete(pods, { name: 'a' });
  // @ts-expect-error: it is cluster-scoped
  await client.delete(nodes, key);
  // @ts-expect-error: it is namespaced
  await client.patch(pods, { name: 'a' }, { kind: 'merge', body: {} });
  // @ts-expect-error: it is cluster-scoped
  await client.updateStatus(nodes, { metadata, status: {} });
  const untyped: Resource = pods;
  await client.get(untyped, { name: 'a' });
});

test('a resource is namespaced when its object type is', () => {
  const parts = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
  const right: Resource<Deployment> = { ...parts, namespaced: true };
  // @ts-expect-error: it is namespaced
  const wrong: Resource<Deployment> = { ...parts, namespaced: false };
  // @ts-expect-error: it is cluster-scoped
  const wrongNode: Resource<Node> = { ...parts, namespaced: true };
  expect([right.namespaced, wrong.namespaced, wrongNode.namespaced]).toEqual([true, false, true]);
});

test('merge patches set or remove existing fields', async () => {
  const merge = { kind: 'merge' } as const;
  await client.patch(deployments, key, { ...merge, body: { spec: { replicas: 2, strategy: null } } });
  await client.patch(deployments, key, { ...merge, body: { metadata: { labels: { a: null }, finalizers: null } } });
  // @ts-expect-error: replicas
  await client.patch(deployments, key, { ...merge, body: { spec: { replica: 2 } } });
  // @ts-expect-error: lists are replaced as a whole, and a container has a name
  await client.patch(pods, key, { ...merge, body: { spec: { containers: [{ image: 'b' }] } } });
  // @ts-expect-error: not an operation of RFC 6902
  await client.patch(deployments, key, { kind: 'json', body: [{ op: 'set', path: '/a', value: 1 }] });
  // @ts-expect-error: a value
  await client.patch(deployments, key, { kind: 'json', body: [{ op: 'add', path: '/a' }] });
});

test('fields have the names and types of the JSON', async () => {
  const { networkPolicies } = networking.v1;
  const from = [{ podSelector: selector }];
  const ports = [{ port: 80 }, { port: 'http' }];
  await client.apply(networkPolicies, { metadata: key, spec: { ingress: [{ from, ports }] } });
  // @ts-expect-error: client-node's name for it
  await client.apply(networkPolicies, { metadata: key, spec: { ingress: [{ _from: from }] } });
  // @ts-expect-error: an instant is a string
  await client.updateStatus(pods, { metadata, status: { startTime: new Date() } });
  await client.updateStatus(pods, { metadata, status: { startTime: '2026-01-01T00:00:00Z' } });
  const read = await client.get(pods, key);
  // @ts-expect-error: objects that were read are immutable
  if (read) read.spec.hostname = 'a';
});

test('the fields of an unstructured kind have no types', async () => {
  const gadgets = namespacedResource<Unstructured>('example.com/v1', 'Gadget');
  const gadget = await client.create(gadgets, { metadata: key, spec: { size: 3 } });
  await client.apply(gadgets, { metadata: key, spec: { size: 4 } });
  await client.patch(gadgets, key, { kind: 'merge', body: { spec: { size: null } } });
  // @ts-expect-error its type is unknown
  expect(() => gadget['spec'].size.toFixed()).toThrow(TypeError);
  // @ts-expect-error the kind is namespaced
  await client.create(gadgets, { metadata: { name: 'a' }, spec: {} });
});
