/** The kinds of runtime/kubernetes and the writes of the client, against a real API server. */

import {
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  batch,
  certificates,
  coordination,
  core,
  discovery,
  events,
  isConflict,
  type KubernetesObject,
  LiveClient,
  networking,
  node,
  policy,
  type Resource,
  rbac,
  resourcePath,
  scheduling,
  storage,
} from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { jobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

const GROUPS = [
  ...[admissionregistration, apiextensions, apiregistration, apps, authentication, authorization, autoscaling, batch],
  ...[certificates, coordination, core, discovery, events, networking, node, policy, rbac, scheduling, storage],
];
const BUILT_IN: readonly Resource[] = GROUPS.flatMap((versions) =>
  Object.values(versions).flatMap((resources): readonly Resource[] => Object.values(resources)),
);

const { deployments } = apps.v1;
const { configMaps } = core.v1;
const OTHERS = { labels: { app: 'a' }, annotations: { note: 'b' }, finalizers: ['example.com/stay'] };
const podTemplate = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };

/** A client in a new namespace. */
async function open() {
  const cluster = connect(inject('kubeconfig'));
  const namespace = await createNamespace(inject('apiServer'), 'typed');
  return { ...cluster, key: { namespace, name: 'a' } };
}

test('the API server serves every built-in kind at the path of its resource', async () => {
  await using scene = await open();
  for (const resource of BUILT_IN) {
    const path = resourcePath(resource).slice(0, -`/${resource.plural}`.length);
    const resourceList = (await scene.transport.request({ method: 'GET', path })) as {
      readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
    };
    const { plural, kind, namespaced } = resource;
    expect(resourceList.resources).toContainEqual(expect.objectContaining({ name: plural, kind, namespaced }));
  }
  expect(BUILT_IN.length).toBeGreaterThan(50);
});

/** Objects with labels, annotations and finalizers, and a status that is valid for each kind. */
const WITH_STATUS: readonly {
  readonly resource: Resource<KubernetesObject & { readonly status?: object }>;
  readonly spec: object;
  readonly first: object;
  readonly second: object;
}[] = [
  {
    resource: deployments,
    spec: { selector: { matchLabels: { app: 'a' } }, template: podTemplate },
    first: { replicas: 2, updatedReplicas: 1 },
    second: { replicas: 1 },
  },
  {
    resource: jobs,
    spec: { template: { spec: { ...podTemplate.spec, restartPolicy: 'Never' } } },
    first: { startTime: '2026-01-01T00:00:00Z', active: 1, ready: 1 },
    second: { startTime: '2026-01-01T00:00:00Z', active: 2 },
  },
];

test.each(WITH_STATUS)('updateStatus of a $resource.kind replaces its status and nothing else', async (testCase) => {
  await using scene = await open();
  const { client, key } = scene;
  const { resource, spec, first, second } = testCase;
  const created = await client.create(resource, { metadata: { ...key, ...OTHERS }, spec } as never);
  const { uid, resourceVersion } = created.metadata;
  const once = await client.updateStatus(resource, { metadata: { ...key, uid, resourceVersion }, status: first });
  expect(once.status).toMatchObject(first);
  const twice = await client.updateStatus(resource, { metadata: once.metadata, status: second });
  expect(twice).toMatchObject({ metadata: { ...key, ...OTHERS, uid }, status: second });
  for (const dropped of Object.keys(first).filter((field) => !(field in second))) {
    expect((twice.status as Readonly<Record<string, unknown>>)[dropped] ?? 0, dropped).toBe(0);
  }
  const { spec: specAfter } = twice as unknown as { readonly spec: unknown };
  expect(specAfter).toEqual((created as unknown as { readonly spec: unknown }).spec);
  const stale = client.updateStatus(resource, { metadata: once.metadata, status: first });
  await expect(stale).rejects.toSatisfy(isConflict);
});

test('an update of the status without the metadata would remove the finalizers of a Job', async () => {
  await using scene = await open();
  const { client, key } = scene;
  const { spec, first } = WITH_STATUS[1]!;
  const created = await client.create(jobs, { metadata: { ...key, ...OTHERS }, spec } as never);
  const byUpdate = { ...jobs, isCustomResource: true };
  const { metadata } = await client.updateStatus(byUpdate, { metadata: created.metadata, status: first });
  expect(metadata.finalizers).toBeUndefined();
});

test('apply creates an object, owns its fields, releases dropped fields, and takes over by force', async () => {
  await using scene = await open();
  const { client, key, transport } = scene;
  const created = await client.apply(configMaps, {
    metadata: { ...key, labels: { app: 'a' } },
    data: { a: '1', b: '2' },
  });
  expect(created).toMatchObject({
    kind: 'ConfigMap',
    metadata: { ...key, labels: { app: 'a' } },
    data: { a: '1', b: '2' },
  });
  expect((await client.apply(configMaps, { metadata: key, data: { a: '1' } })).data).toEqual({ a: '1' });

  const other = new LiveClient(transport, { fieldManager: 'other' });
  await expect(other.apply(configMaps, { metadata: key, data: { a: '3' } })).rejects.toSatisfy(isConflict);
  const forced = await other.apply(configMaps, { metadata: key, data: { a: '3' } }, { force: true });
  expect(forced.data).toEqual({ a: '3' });
  expect(forced.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'other', operation: 'Apply', apiVersion: 'v1' }),
  );
});

test('apply of a status changes no other field', async () => {
  await using scene = await open();
  const { client, key } = scene;
  await client.apply(deployments, {
    metadata: { ...key, ...OTHERS },
    spec: { selector: { matchLabels: { app: 'a' } }, template: podTemplate },
  });
  const options = { subresource: 'status', fieldManager: 'other' };
  const applied = await client.apply(deployments, { metadata: key, status: { replicas: 3 } }, options);
  expect(applied).toMatchObject({ metadata: OTHERS, spec: { replicas: 1 }, status: { replicas: 3 } });
});

test('strict validation refuses unknown fields', async () => {
  await using scene = await open();
  const { client, key } = scene;
  const body = { data: { a: '1' }, dato: {} };
  const written = client.create(configMaps, { metadata: key, ...body }, { fieldValidation: 'Strict' });
  await expect(written).rejects.toMatchObject({ code: 400, message: expect.stringContaining('unknown field "dato"') });
  expect((await client.create(configMaps, { metadata: key, ...body })).data).toEqual({ a: '1' });
});
