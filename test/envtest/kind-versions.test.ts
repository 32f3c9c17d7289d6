/** A kind with several versions on a real API server, which the manager of the test converts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiextensions,
  defineKind,
  int32,
  type Kind,
  LiveClient,
  type Manager,
  migrateStorage,
  storageMigration,
} from 'controller-runtime';
import { customResourceDefinition } from 'controller-runtime/manifests';
import {
  eventually,
  findFreePort,
  RecordingLogger,
  startTestEnvironment,
  startTestManager,
  writeCertificate,
} from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import './support/provided.ts';

const { customResourceDefinitions } = apiextensions.v1;

/** The version v1alpha1 has a text instead of a number. */
const define = (kind: string, storage = false) =>
  defineKind({
    ...{ group: 'versions.example.com', version: 'v1', kind },
    spec: z.object({ size: z.object({ count: int32() }), note: z.string().default('none') }),
    status: z.object({ seen: int32() }),
  })
    .withVersion({
      version: 'v1alpha1',
      storage,
      spec: z.object({ count: z.string().max(9), note: z.string().default('none') }),
    })
    .withConversion({
      toHub: ({ spec: { count, note } }) => {
        if (Number.isNaN(Number(count))) throw new Error(`spec.count: ${JSON.stringify(count)} is not a number`);
        return { spec: { size: { count: Number(count) }, note } };
      },
      fromHub: ({ spec: { size, note } }) => ({ spec: { count: String(size.count), note } }),
    });

/**
 * An API server with the kind, and a manager that converts it.
 * @param clientCa The CA of its callers, in PEM. Default: every client can call the conversion.
 */
async function startConversion(kind: Kind, clientCa?: string) {
  const environment = await startTestEnvironment({ kinds: [kind], kubeconfig: inject('kubeconfig') });
  const [namespace, port, folder] = [
    await environment.createNamespace(),
    await findFreePort(),
    createTemporaryFolder(),
  ];
  const { cert: caBundle } = writeCertificate(folder);
  const clientCaFile = clientCa === undefined ? undefined : join(folder, 'client-ca.crt');
  if (clientCaFile !== undefined) writeFileSync(clientCaFile, `${clientCa}`);
  const log = new RecordingLogger();
  const manager = await startTestManager({
    ...{ cluster: environment, log },
    setUp: ({ webhooks }) => webhooks.convert(kind),
    webhooks: { certificates: { folder }, port, shutdownDelayMs: 0, ...(clientCaFile && { clientCaFile }) },
  });
  const installation = { kinds: [kind], namespace, port, caBundle };
  await environment.installWebhooks(installation);
  const close = async () => {
    await manager.stop();
    await environment.stop();
  };
  return { environment, client: environment.client, namespace, log, manager, [Symbol.asyncDispose]: close };
}

test('clients use both versions of an object, and server-side apply causes no drift', async () => {
  const Pallet = define('Pallet');
  const { v1alpha1 } = Pallet.versions;
  await using scene = await startConversion(Pallet);
  const { environment, client, namespace, log } = scene;
  const key = { namespace, name: 'a' };
  const controller = new LiveClient(environment.connect(), { fieldManager: 'controller' });
  const setStatus = async (seen: number) => {
    const { metadata, spec } = (await client.get(Pallet, key))!;
    return await controller.updateStatus(Pallet, { metadata, spec, status: { seen } });
  };
  const old = await eventually(() => client.create(v1alpha1, { metadata: key, spec: { count: '3' } }));
  expect(old).toMatchObject({ apiVersion: 'versions.example.com/v1alpha1', spec: { count: '3', note: 'none' } });
  expect(await client.get(Pallet, key)).toMatchObject({
    apiVersion: 'versions.example.com/v1',
    metadata: { uid: old.metadata.uid, generation: 1 },
    spec: { size: { count: 3 }, note: 'none' },
  });
  await setStatus(1);
  const { resourceVersion } = (
    await client.patch(Pallet, key, { kind: 'merge', body: { spec: { size: { count: 5 } } } })
  ).metadata;
  expect(await client.get(v1alpha1, key)).toMatchObject({ spec: { count: '5', note: 'none' }, status: { seen: 1 } });
  expect(await client.list(v1alpha1, { namespace })).toMatchObject([{ metadata: { resourceVersion } }]);
  const apply = (spec: { count: string; note?: string }) =>
    client.apply(v1alpha1, { metadata: key, spec }, { fieldManager: 'user', force: true });
  const applied = await apply({ count: '7', note: 'applied' });
  expect(await client.get(Pallet, key)).toMatchObject({ spec: { size: { count: 7 } }, status: { seen: 1 } });
  expect((await apply({ count: '7', note: 'applied' })).metadata.resourceVersion).toBe(
    applied.metadata.resourceVersion,
  );
  const { metadata } = await setStatus(2);
  expect(metadata.managedFields?.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])).toEqual(
    expect.arrayContaining([
      ['user', 'versions.example.com/v1alpha1', { 'f:spec': { 'f:count': {}, 'f:note': {} } }],
      ['controller', 'versions.example.com/v1', { 'f:status': { '.': {}, 'f:seen': {} } }],
    ]),
  );
  expect(await apply({ count: '7' })).toMatchObject({ spec: { count: '7', note: 'none' }, status: { seen: 2 } });
  await expect(client.create(v1alpha1, { metadata: { namespace, name: 'b' }, spec: { count: 'x' } })).rejects.toThrow(
    `convert Pallet ${namespace}/b from v1alpha1 to v1: spec.count: "x" is not a number`,
  );
  expect(log.errors).toMatchObject([{ message: 'conversion failed' }]);
  const crd = await client.get(customResourceDefinitions, { name: 'pallets.versions.example.com' });
  expect(crd?.status?.storedVersions).toEqual(['v1']);
});

test('without the server of the conversion, requests for the stored version work and the others say why', async () => {
  const Rack = define('Rack');
  await using scene = await startConversion(Rack);
  const { client, namespace, manager } = scene;
  const [key, spec] = [{ namespace, name: 'a' }, { size: { count: 1 } }];
  await eventually(() => client.create(Rack, { metadata: key, spec })); // the API server restarts its storage of the kind
  const readOld = () => client.get(Rack.versions.v1alpha1, key);
  await eventually(async () => expect(await readOld()).toMatchObject({ spec: { count: '1' } }));
  await manager.stop();
  expect(await client.patch(Rack, key, { kind: 'merge', body: { spec: { note: 'x' } } })).toMatchObject({
    spec: { note: 'x' },
  });
  await expect(readOld()).rejects.toThrow(/conversion webhook for .*Rack failed: .*connection refused/);
});

test('the API server has no client certificate for conversions, unlike for admission webhooks', async () => {
  const Barrel = define('Barrel');
  await using scene = await startConversion(Barrel, inject('webhookClientCa'));
  const { client, namespace } = scene;
  await eventually(() =>
    expect(
      client.create(Barrel.versions.v1alpha1, { metadata: { namespace, name: 'a' }, spec: { count: '1' } }),
    ).rejects.toThrow(/conversion webhook for .*Barrel failed: .*certificate required/),
  );
});

test('a migration rewrites objects of an old storage version, after which the version can be removed', async () => {
  const Box = define('Box');
  await using scene = await startConversion(define('Box', true));
  const { client, namespace, log } = scene;
  const { v1alpha1 } = Box.versions;
  const names = ['a', 'b', 'c'];
  for (const name of names)
    await eventually(() => client.create(v1alpha1, { metadata: { namespace, name }, spec: { count: '1' } }));
  const crd = customResourceDefinition(Box);
  const { name } = crd.metadata;
  const setVersions = (versions: readonly object[], conversion?: object) =>
    client.patch(
      customResourceDefinitions,
      { name },
      {
        kind: 'merge',
        body: { spec: { versions, ...(conversion && { conversion }) } } as never,
      },
    );
  const readStoredVersions = async () =>
    (await client.get(customResourceDefinitions, { name }))?.status?.storedVersions;
  await setVersions(crd.spec.versions);
  await eventually(async () => expect(await readStoredVersions()).toEqual(['v1alpha1', 'v1']));
  const probe = { metadata: { namespace, generateName: 'probe-' }, spec: { size: { count: 9 } } };
  await client.create(Box, probe); // the API server knows the new storage version
  const [hubVersion] = crd.spec.versions;
  await expect(setVersions([hubVersion], { strategy: 'None', webhook: null })).rejects.toThrow(
    /status\.storedVersions.*v1alpha1/,
  );
  const host = { apiReader: client, client: client as never, log };
  expect(await migrateStorage(host, Box)).toBe(4);
  expect(await readStoredVersions()).toEqual(['v1']);
  expect(await migrateStorage(host, Box)).toBe(0);
  await setVersions([hubVersion], { strategy: 'None', webhook: null });
  await eventually(() => expect(client.list(v1alpha1, { namespace })).rejects.toMatchObject({ code: 404 }));
  expect(
    (await client.list(Box, { namespace })).map(({ metadata, spec }) => [metadata.name.slice(0, 5), spec]),
  ).toEqual([
    ...names.map((each) => [each, { size: { count: 1 }, note: 'none' }]),
    ['probe', { size: { count: 9 }, note: 'none' }],
  ]);
});

test('a manager with only its generated roles issues the certificate of the conversion, and migrates the storage', async () => {
  const Crate = define('Crate');
  await using environment = await startTestEnvironment({
    kinds: [define('Crate', true)],
    kubeconfig: inject('kubeconfig'),
  });
  const { client } = environment;
  const [namespace, port] = [await environment.createNamespace(), await findFreePort()];
  const key = { namespace, name: 'a' };
  await eventually(() => client.create(Crate.versions.v1alpha1, { metadata: key, spec: { count: '1' } }));
  const crd = customResourceDefinition(Crate, {}, { url: `https://127.0.0.1:${port}` });
  await client.patch(customResourceDefinitions, crd.metadata, { kind: 'merge', body: { spec: crd.spec } as never });
  const [name, log] = ['crate-operator', new RecordingLogger()];
  const setUp = (manager: Manager) => {
    manager.webhooks.convert(Crate);
    manager.addController(storageMigration(manager, [Crate], { delayMs: 0 }));
  };
  const webhooks = { certificates: { namespace, urlHosts: ['127.0.0.1'] }, port, shutdownDelayMs: 0 };
  const options = { cluster: environment, setUp, log, name, webhooks };
  await using _ = await startTestManager({ ...options, rbac: { manager: { name, webhooks }, kinds: [Crate], setUp } });
  await eventually(async () => {
    const { spec, status } = (await client.get(customResourceDefinitions, crd.metadata))!;
    expect(spec.conversion?.webhook?.clientConfig?.caBundle).toBeTruthy();
    expect(status?.storedVersions).toEqual(['v1']);
  });
  expect(await client.get(Crate, key)).toMatchObject({ spec: { size: { count: 1 } } });
  expect(await client.get(Crate.versions.v1alpha1, key)).toMatchObject({ spec: { count: '1' } });
  expect(JSON.stringify(log.records)).not.toContain('forbidden');
});
