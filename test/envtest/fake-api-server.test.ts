/** The fake API server of the package answers like a real one: the same code, reason and fields, and the same stored object. */
import {
  ApiError,
  apiextensions,
  core,
  defineKind,
  ignoreNotFound,
  int32,
  isNamespaceTerminating,
  type KubernetesObject,
  type LiveClient,
  type Resource,
  resourcePath,
} from 'controller-runtime';
import { eventually, FakeApiServer, startTestEnvironment, type TestCluster } from 'controller-runtime/testing';
import { afterAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { BUILT_IN, CASES, type CaseRequest, CHOICE_CRD, Gadget, Slab } from './support/fake-server-cases.ts';
import './support/provided.ts';

const options = { kinds: [Gadget, Slab], crds: [CHOICE_CRD] };
const environment = await startTestEnvironment({ ...options, kubeconfig: inject('kubeconfig') });
const fake = await FakeApiServer.start(options);
afterAll(async () => {
  await environment.stop();
  await fake.close();
});

const CONTENT_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
  strategic: 'application/strategic-merge-patch+json',
};

/** A server under test, in a namespace. */
interface Site {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly resource: Resource;
}

async function openSites(resource: Resource): Promise<readonly [real: Site, fake: Site]> {
  const namespace = await environment.createNamespace('fake');
  return [
    { cluster: environment, namespace, resource },
    { cluster: fake, namespace, resource },
  ];
}

async function send(
  { cluster, namespace, resource }: Site,
  { method, path = '', query, patch, body }: CaseRequest,
): Promise<unknown> {
  const transport = cluster.connect();
  const read = () => transport.request({ method: 'GET', path: resourcePath(resource, namespace, 'a') });
  const sent = typeof body === 'function' ? body(await read()) : body;
  const target = resourcePath(resource, namespace, method === 'POST' ? undefined : 'a') + path;
  const contentType = patch && CONTENT_TYPES[patch];
  try {
    const answer = await transport.request({
      method,
      path: target,
      ...(query && { query }),
      ...(sent !== undefined && { body: sent }),
      ...(contentType && { contentType }),
    });
    return { answer: method === 'DELETE' ? toKind(answer) : clean(answer, namespace) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, causes } = error;
    return { code, reason, fields: new Set(causes.map((cause) => `${cause.reason} ${cause.field}`)) };
  }
}

const toKind = (answer: unknown) => (answer as KubernetesObject).kind;

/** Removes what differs between two servers. */
function clean(answer: unknown, namespace: string): unknown {
  const { metadata, ...rest } = answer as KubernetesObject;
  const { uid, resourceVersion, creationTimestamp, managedFields: _, deletionTimestamp, ...others } = metadata;
  const text = JSON.stringify({ ...rest, metadata: { ...others, isPending: deletionTimestamp !== undefined } });
  const serverOwned = [uid, resourceVersion, creationTimestamp].map((value) => typeof value);
  return {
    serverOwned,
    object: JSON.parse(text.replaceAll(namespace, 'test').replace(/"b-[a-z0-9]{5}"/, '"b-12345"')),
  };
}

/** The responses and the stored objects of one case. */
async function play(site: Site, steps: readonly CaseRequest[]): Promise<unknown> {
  const answers = [];
  for (const step of steps) answers.push(await send(site, step));
  return { answers, stored: await send(site, { method: 'GET' }) };
}

test.each(CASES)('$name', async ({ given, isPending, resource = Gadget, request }) => {
  const steps: readonly CaseRequest[] = [
    ...(given ? [{ method: 'POST', body: given } as const] : []),
    ...(isPending ? [{ method: 'DELETE' } as const] : []),
    request,
  ];
  const [real, imitation] = await openSites(resource);
  expect(await play(imitation, steps)).toEqual(await play(real, steps));
  if (resource.namespaced) return;
  for (const { client } of [environment, fake]) await ignoreNotFound(client.delete(Slab, { name: 'a' }));
});

test('the CRDs of the kinds have the same names, versions and status', async () => {
  const { customResourceDefinitions } = apiextensions.v1;
  const play = async (client: LiveClient, name: string) => {
    const { spec, status, metadata } = (await client.get(customResourceDefinitions, { name }))!;
    const versions = spec.versions.map(({ name, served, storage }) => ({ name, served, storage }));
    const conditions = new Map(status?.conditions?.map(({ type, lastTransitionTime: _, ...rest }) => [type, rest]));
    const patch = async (body: object) => {
      const options = { subresource: 'status' };
      const answer = client.patch(customResourceDefinitions, { name }, { kind: 'merge', body }, options);
      return await answer
        .then((crd) => crd.status?.storedVersions)
        .catch(({ code, reason }: ApiError) => [code, reason]);
    };
    return {
      ...{ group: spec.group, scope: spec.scope, names: spec.names, versions, status: { ...status, conditions } },
      patched: await patch({ metadata, status: { storedVersions: ['v1'] } }),
      stale: await patch({ metadata: { resourceVersion: '1' }, status: { storedVersions: ['v1'] } }),
    };
  };
  for (const name of ['gadgets.fake.example.com', 'slabs.fake.example.com', CHOICE_CRD.metadata.name])
    expect(await play(fake.client, name)).toEqual(await play(environment.client, name));
});

test('the same built-in kinds have a generation', async () => {
  const namespace = await environment.createNamespace('fake');
  const list = async (client: LiveClient) => {
    const generations: Record<string, unknown> = {};
    for (const [resource, object] of BUILT_IN) {
      const { metadata } = object as KubernetesObject;
      const created = await client.create(resource, { ...object, metadata: { ...metadata, namespace } });
      generations[resource.plural] = created.metadata.generation;
    }
    return generations;
  };
  expect(await list(fake.client)).toEqual(await list(environment.client));
});

test('a namespace that is being deleted refuses new objects', async () => {
  const namespace = await environment.createNamespace('fake');
  const play = async (client: LiveClient) => {
    await client.create(Gadget, {
      metadata: { namespace, name: 'a', finalizers: ['example.com/a'] },
      spec: { engine: 'mysql' },
    });
    await client.delete(core.v1.namespaces, { name: namespace });
    const error: unknown = await client
      .create(Gadget, { metadata: { namespace, name: 'b' }, spec: { engine: 'mysql' } })
      .catch((reason: unknown) => reason);
    const { code, reason, causes } = error as ApiError;
    const { status, metadata } = (await client.get(core.v1.namespaces, { name: namespace }))!;
    const answer = [code, reason, causes.map((cause) => cause.reason), isNamespaceTerminating(error)];
    return [...answer, status, metadata.deletionTimestamp !== undefined];
  };
  await fake.client.create(core.v1.namespaces, { metadata: { name: namespace } });
  expect(await play(fake.client)).toEqual(await play(environment.client));
});

/** The kind Gadget with other bounds, under another name. */
const defineRatchet = (maximum: number) =>
  defineKind({
    group: 'fake.example.com',
    version: 'v1',
    kind: 'Ratchet',
    spec: z.object({
      first: int32().max(maximum),
      second: int32().max(maximum).optional(),
      list: z
        .array(z.object({ name: z.string(), size: int32().max(maximum) }))
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
        .optional(),
    }),
  });

test('an update ignores faults that the object already has', async () => {
  const [loose, strict] = [defineRatchet(9), defineRatchet(5)];
  const namespace = await environment.createNamespace('fake');
  const key = { namespace, name: 'a' };
  const spec = { first: 9, list: [{ name: 'a', size: 9 }] };
  const bodies = [
    { second: 1 },
    { second: 7 },
    { first: 8 },
    { first: 5 },
    {
      list: [
        { name: 'b', size: 2 },
        { name: 'a', size: 9 },
      ],
    },
    { list: [{ name: 'a', size: 8 }] },
  ];
  const play = async (client: LiveClient) => {
    const answers = [];
    for (const body of bodies) {
      const answer = await client
        .patch(strict, key, { kind: 'merge', body: { spec: body } })
        .then((object) => object.spec)
        .catch(({ causes }: ApiError) => causes.map(({ reason, field }) => `${reason} ${field}`));
      answers.push(answer);
    }
    return answers;
  };
  await using lenient = await startTestEnvironment({ kinds: [loose], kubeconfig: inject('kubeconfig') });
  await lenient.client.create(loose, { metadata: key, spec });
  await using changed = await startTestEnvironment({ kinds: [strict], kubeconfig: inject('kubeconfig') });
  await eventually(() =>
    expect(
      changed.client.create(strict, { metadata: { namespace, name: 'b' }, spec }, { dryRun: true }),
    ).rejects.toThrow(ApiError),
  );
  await using server = await FakeApiServer.start({ kinds: [strict] });
  server.put(strict, { metadata: key, spec });
  const expected = await play(changed.client);
  expect(await play(server.client)).toEqual(expected);
  expect(expected).toContainEqual(['FieldValueInvalid spec.second']);
});
