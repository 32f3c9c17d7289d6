/** `startTestEnvironment` of the package, with an existing API server and with one that it starts. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiextensions,
  collectDeclarations,
  core,
  defineKind,
  int32,
  invalid,
  type ObjectOf,
  type WebhookRegistrar,
} from 'controller-runtime';
import { customResourceDefinition } from 'controller-runtime/manifests';
import {
  eventually,
  findFreePort,
  startTestEnvironment,
  startTestManager,
  writeCertificate,
} from 'controller-runtime/testing';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { provision } from '../../hack/control-plane/provision.ts';
import { API_SERVER_BINARIES } from '../../hack/control-plane/versions.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import './support/provided.ts';

const Shelf = defineKind({
  group: 'environment.example.com',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  spec: z.object({ boards: int32().min(1).default(3) }),
});
type Shelf = ObjectOf<typeof Shelf>;
const createShelf = (namespace: string, spec: Partial<Shelf['spec']> = {}) =>
  ({ metadata: { namespace, name: 'a' }, spec }) as Shelf; // the API server fills in the rest

/** A kind with two versions, in another group for each test. */
let groups = 0;
const defineTray = () =>
  defineKind({
    group: `trays${++groups}.example.com`,
    version: 'v1',
    kind: 'Tray',
    spec: z.object({ count: int32().optional() }),
  })
    .withVersion({ version: 'v1alpha1', spec: z.object({ size: int32().optional() }) })
    .withConversion({
      toHub: ({ spec: { size } }) => ({ spec: { count: size } }),
      fromHub: ({ spec: { count } }) => ({ spec: { size: count } }),
    });
/** The server of the conversion of an installed operator. */
const SERVICE = { service: { namespace: 'trays', name: 'webhooks' } };
const SERVICE_CONVERSION = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { ...SERVICE.service, path: '/convert', port: 443 } },
    conversionReviewVersions: ['v1'],
  },
};

beforeEach(() => {
  for (const name of ['KUBEBUILDER_ASSETS', 'USE_EXISTING_CLUSTER', 'KUBECONFIG']) vi.stubEnv(name, undefined);
});

test('installs kinds and other definitions in the cluster of KUBECONFIG, and removes them at the end', async () => {
  vi.stubEnv('USE_EXISTING_CLUSTER', 'true').stubEnv('KUBECONFIG', inject('kubeconfig'));
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'crds'));
  writeFileSync(join(folder, 'crds/all.yaml'), BOOKS);
  const environment = await startTestEnvironment({ kinds: [Shelf], crds: [join(folder, 'crds')] });
  const { client } = environment;
  const namespace = await environment.createNamespace('shelves');
  expect(namespace).toMatch(/^shelves-/);
  expect(await client.create(Shelf, createShelf(namespace))).toMatchObject({ spec: { boards: 3 } });
  await expect(client.create(Shelf, createShelf(namespace, { boards: 0 }))).rejects.toMatchObject({ code: 422 });
  const books = { group: 'environment.example.com', version: 'v1', kind: 'Book', plural: 'books', namespaced: true };
  expect(await client.list(books)).toEqual([]);
  await environment.stop();
  await using secondEnvironment = await startTestEnvironment({ kinds: [Shelf] });
  expect(await secondEnvironment.client.get(core.v1.namespaces, { name: namespace })).toHaveProperty(
    'metadata.deletionTimestamp',
  );
});

test('starts the API server of KUBEBUILDER_ASSETS, and stops it', async () => {
  const assets = createTemporaryFolder();
  for (const [name, path] of Object.entries(await provision(API_SERVER_BINARIES)))
    symlinkSync(path, join(assets, name));
  vi.stubEnv('KUBEBUILDER_ASSETS', assets);
  const environment = await startTestEnvironment({ kinds: [Shelf] });
  const namespace = await environment.createNamespace();
  await environment.client.create(Shelf, createShelf(namespace));
  expect(await environment.client.list(Shelf)).toHaveLength(1);
  await environment.stop();
  await using secondEnvironment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
  const reader = secondEnvironment.connect();
  await expect(reader.request({ method: 'GET', path: '/version' })).resolves.toMatchObject({ major: '1' });
  await expect(environment.connect().request({ method: 'GET', path: '/version' })).rejects.toThrow();
});

test('makes the API server call webhooks in the test process', async () => {
  await using environment = await startTestEnvironment({ kinds: [Shelf], kubeconfig: inject('kubeconfig') });
  const [namespace, port, folder] = [
    await environment.createNamespace(),
    await findFreePort(),
    createTemporaryFolder(),
  ];
  const { cert: caBundle } = writeCertificate(folder);
  const register = (webhooks: WebhookRegistrar) =>
    webhooks.for(Shelf, {
      validate: ({ object: { spec } }) => (spec.boards > 9 ? [invalid('spec.boards', spec.boards, 'too many')] : []),
    });
  await using _ = await startTestManager({
    cluster: environment,
    setUp: ({ webhooks }) => void register(webhooks),
    webhooks: { certificates: { folder }, port, shutdownDelayMs: 0 },
  });
  await environment.installWebhooks({ declarations: collectDeclarations(register), namespace, port, caBundle });
  await eventually(() =>
    expect(
      environment.client.create(Shelf, createShelf(namespace, { boards: 10 }), { dryRun: true }),
    ).rejects.toMatchObject({
      code: 422,
      causes: [{ field: 'spec.boards', message: expect.stringContaining('too many') }],
    }),
  );
  await environment.client.create(Shelf, createShelf(namespace, { boards: 9 }));
});

test.each([
  ['a CRD that it created without a conversion', { strategy: 'None' }],
  ['an existing CRD with its conversion', SERVICE_CONVERSION],
])('leaves %s', async (_, want) => {
  const kubeconfig = inject('kubeconfig');
  const Tray = defineTray();
  const name = `trays.${Tray.group}`;
  await using reader = await startTestEnvironment({ kubeconfig });
  const { customResourceDefinitions } = apiextensions.v1;
  if (want === SERVICE_CONVERSION)
    await reader.client.create(customResourceDefinitions, customResourceDefinition(Tray, undefined, SERVICE) as never);
  onTestFinished(() => reader.client.delete(customResourceDefinitions, { name }));
  const environment = await startTestEnvironment({ kinds: [Tray], kubeconfig });
  const { cert: caBundle } = writeCertificate(createTemporaryFolder());
  const namespace = await environment.createNamespace();
  await environment.installWebhooks({ kinds: [Tray], namespace, port: await findFreePort(), caBundle });
  await environment.stop();
  expect((await reader.client.get(customResourceDefinitions, { name }))?.spec.conversion).toEqual(want);
});

const BOOKS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: not-a-definition }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: books.environment.example.com }
spec:
  group: environment.example.com
  names: { kind: Book, plural: books }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object } }
`;
