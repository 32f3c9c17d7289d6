/** What the server knows of custom kinds, and how it deletes. test/envtest compares its answers with a real API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { core } from '../kubernetes/core.ts';
import { apiextensions } from '../kubernetes/extensions.ts';
import type { OwnerReference } from '../kubernetes/object.ts';
import type { Manager } from '../manager/manager.ts';
import { storageMigration } from '../manager/storage-migration.ts';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import { crdYaml } from '../manifests/manifests.ts';
import { defineKind } from '../schema/define-kind.ts';
import { apiRule, int32 } from '../schema/field-types.ts';
import { job, jobs } from '../test-support/objects.ts';
import { Website } from '../test-support/websites.ts';
import { eventually } from './eventually.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { RecordingLogger } from './recording-logger.ts';
import { startTestManager } from './test-manager.ts';

const window = apiRule(z.object({ from: int32(), to: int32() }), {
  rule: 'self.from < self.to',
  message: 'from must be less than to; change one of them',
  isValid: ({ from, to }) => from < to,
});
const Shop = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  spec: z.object({ window: window.optional(), doors: int32().max(9).default(2) }),
});
const key = { namespace: 'default', name: 'a' };

describe('objects of a known kind', () => {
  test('are completed and validated, with messages like those of webhooks', async () => {
    await using server = await FakeApiServer.start({ kinds: [Shop] });
    const { client } = server;
    expect(await client.create(Shop, { metadata: key, spec: {} })).toMatchObject({ spec: { doors: 2 } });
    await expect(client.patch(Shop, key, { kind: 'merge', body: { spec: { doors: 10 } } })).rejects.toThrow(
      'Shop.example.com "a" is invalid: spec.doors: Invalid value: 10: should be less than or equal to 9',
    );
    const body = { spec: { window: { from: 2, to: 1 } } };
    await expect(client.patch(Shop, key, { kind: 'merge', body })).rejects.toThrow(
      'spec.window: Invalid value: "object": from must be less than to; change one of them',
    );
  });

  test('are compared with the stored object by a rule with oldSelf', async () => {
    const size = apiRule(int32(), {
      rule: 'self >= oldSelf',
      message: 'must not decrease',
      isValid: (value, oldValue = value) => value >= oldValue,
    });
    const Box = defineKind({ ...{ group: 'example.com', version: 'v1', kind: 'Box' }, spec: z.object({ size }) });
    await using server = await FakeApiServer.start({ kinds: [Box] });
    await server.client.create(Box, { metadata: key, spec: { size: 2 } });
    const resize = (value: number) => server.client.patch(Box, key, { kind: 'merge', body: { spec: { size: value } } });
    expect(await resize(3)).toMatchObject({ spec: { size: 3 } });
    await expect(resize(2)).rejects.toThrow('spec.size: Invalid value: 2: must not decrease');
  });

  test('are not validated by put', async () => {
    await using server = await FakeApiServer.start({ kinds: [Shop] });
    expect(server.put(Shop, { metadata: key, spec: { doors: 10 } })).toMatchObject({ spec: { doors: 10 } });
  });

  test('are validated by a CRD in a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crds-'));
    writeFileSync(join(folder, 'shops.yaml'), crdYaml(Shop));
    await using server = await FakeApiServer.start({ crds: [folder] });
    rmSync(folder, { recursive: true });
    const created = server.client.create(Shop, { metadata: key, spec: { doors: 10 } });
    await expect(created).rejects.toMatchObject({ code: 422 });
  });
});

describe('a kind with several versions', () => {
  const rule = { rule: "self != 'none'", message: 'must be a number', isValid: (count: string) => count !== 'none' };
  const Door = defineKind({
    ...{ group: 'example.com', version: 'v1', kind: 'Door' },
    spec: z.object({ count: int32(), note: z.string().optional() }),
    status: z.object({ open: int32() }),
  })
    .withVersion({ version: 'v2', spec: z.object({ number: apiRule(z.string(), rule), note: z.string().optional() }) })
    .withConversion({
      toHub: ({ spec: { number, note } }) => ({ spec: { count: Number(number), ...(note && { note }) } }),
      fromHub: ({ spec: { count, note } }) => {
        if (count < 0) throw new Error('count is negative');
        return { spec: { number: String(count), ...(note && { note }) } };
      },
    });
  const { v2 } = Door.versions;

  test('has one object, which clients read, write and watch in each version', async () => {
    await using server = await FakeApiServer.start({ kinds: [Door] });
    const { client } = server;
    const names: unknown[] = [];
    const setUp = (manager: Manager) => {
      manager
        .controller('door')
        .for(v2)
        .reconcile(async ({ spec }) => void names.push(spec));
    };
    await using _ = await startTestManager({ cluster: server, setUp });
    const { metadata } = await client.create(v2, { metadata: key, spec: { number: '4' } });
    const { uid } = metadata;
    expect(await client.get(Door, key)).toMatchObject({
      apiVersion: 'example.com/v1',
      metadata: { uid },
      spec: { count: 4 },
    });
    await client.updateStatus(v2, { metadata, status: { open: 1 } });
    const patched = await client.patch(Door, key, { kind: 'merge', body: { spec: { count: 5, note: 'new' } } });
    const status = { open: 1 };
    expect(patched).toMatchObject({ metadata: { uid, generation: 2 }, status });
    const { resourceVersion } = patched.metadata;
    const stored = {
      apiVersion: 'example.com/v2',
      metadata: { uid, resourceVersion },
      spec: { number: '5', note: 'new' },
    };
    expect(await client.list(v2)).toMatchObject([{ ...stored, status }]);
    expect(server.get(v2, key)).toMatchObject(stored);
    const change = { ...server.get(v2, key)!, spec: { number: '6' } };
    expect(await client.update(v2, change)).toMatchObject({ spec: { number: '6' }, status });
    expect(server.list(Door)).toMatchObject([{ spec: { count: 6 }, status }]);
    await expect(client.update(v2, change)).rejects.toMatchObject({ code: 409 });
    await eventually(() => expect(names.at(-1)).toEqual({ number: '6' }));
    await client.delete(v2, key);
    expect(server.list(Door)).toEqual([]);
  });

  test('has a schema, rules and errors of each version', async () => {
    await using server = await FakeApiServer.start({ kinds: [Door] });
    const { client } = server;
    await expect(client.create(v2, { metadata: key, spec: { number: 'none' } })).rejects.toThrow(
      'spec.number: Invalid value: "none": must be a number',
    );
    await client.create(Door, { metadata: key, spec: { count: -1 } });
    await expect(client.get(v2, key)).rejects.toThrow(
      'conversion to example.com/v2/doors failed: convert Door default/a from v1 to v2: count is negative',
    );
  });
});

describe('the deletion', () => {
  const start = async () => {
    const server = await FakeApiServer.start();
    const owner = server.put(core.v1.configMaps, { metadata: { namespace: 'default', name: 'owner' } });
    const ownedBy = (name: string, uid: string, rest: Partial<OwnerReference> = {}) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...rest };
      return { ownerReferences: [reference] };
    };
    const add = (name: string, metadata: object) =>
      server.put(core.v1.configMaps, { metadata: { namespace: 'default', name, ...metadata } });
    const listNames = () => server.list(core.v1.configMaps).map(({ metadata }) => metadata.name);
    return { server, owner, ownedBy, add, listNames };
  };
  const ownerKey = { namespace: 'default', name: 'owner' };

  test('of an owner deletes its dependents, unless they have another owner', async () => {
    const { server, owner, ownedBy, add, listNames } = await start();
    await using _ = server;
    const child = add('child', ownedBy('owner', owner.metadata.uid));
    add('grandchild', ownedBy('child', child.metadata.uid));
    const other = add('other', {});
    const references = [owner, other].flatMap(({ metadata }) => ownedBy(metadata.name, metadata.uid).ownerReferences);
    add('shared', { ownerReferences: references });
    add('stranger', ownedBy('owner', 'another-uid'));
    await server.client.delete(core.v1.configMaps, ownerKey);
    expect(listNames()).toEqual(['other', 'shared', 'stranger']);
    const { ownerReferences } = server.get(core.v1.configMaps, { namespace: 'default', name: 'shared' })!.metadata;
    expect(ownerReferences).toEqual(references.slice(1));
  });

  test('of an owner with finalizers deletes its dependents when the finalizers are gone', async () => {
    const { server, add, ownedBy, listNames } = await start();
    await using _ = server;
    const { uid } = add('held', { finalizers: ['example.com/a'] }).metadata;
    add('child', ownedBy('held', uid));
    const heldKey = { namespace: 'default', name: 'held' };
    await server.client.delete(core.v1.configMaps, heldKey);
    expect(listNames()).toEqual(['child', 'held', 'owner']);
    await server.client.patch(core.v1.configMaps, heldKey, { kind: 'merge', body: { metadata: { finalizers: null } } });
    expect(listNames()).toEqual(['owner']);
  });

  test('in the foreground waits for dependents that block it', async () => {
    const { server, owner, add, ownedBy, listNames } = await start();
    await using _ = server;
    const { uid } = owner.metadata;
    add('blocking', { ...ownedBy('owner', uid, { blockOwnerDeletion: true }), finalizers: ['example.com/a'] });
    add('free', ownedBy('owner', uid));
    await server.client.delete(core.v1.configMaps, ownerKey, { propagationPolicy: 'Foreground' });
    expect(listNames()).toEqual(['blocking', 'free', 'owner']);
    expect(server.get(core.v1.configMaps, ownerKey)?.metadata.finalizers).toEqual(['foregroundDeletion']);
    const body = { metadata: { finalizers: null } };
    await server.client.patch(core.v1.configMaps, { namespace: 'default', name: 'blocking' }, { kind: 'merge', body });
    expect(listNames()).toEqual([]);
  });

  test('of a Job leaves its Pods, unless the client sets a policy', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) {
      const { uid } = server.put(jobs, job(name)).metadata;
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid }];
      server.put(core.v1.pods, { metadata: { namespace: 'default', name, ownerReferences } });
    }
    await server.client.delete(jobs, key);
    await server.client.delete(jobs, { ...key, name: 'b' }, { propagationPolicy: 'Background' });
    expect(server.list(core.v1.pods)).toMatchObject([{ metadata: { name: 'a' } }]);
    expect(server.list(core.v1.pods)[0]?.metadata).not.toHaveProperty('ownerReferences');
  });

  test('of a namespace deletes its content, and completes when the content is gone', async () => {
    await using server = await FakeApiServer.start();
    const { client } = server;
    server.put(core.v1.namespaces, { metadata: { name: 'default' } });
    server.put(jobs, job('b'));
    server.put(jobs, { ...job('a'), metadata: { ...key, finalizers: ['example.com/a'] } });
    await client.delete(core.v1.namespaces, { name: 'default' });
    expect(server.list(jobs)).toMatchObject([{ metadata: { name: 'a', deletionTimestamp: expect.any(String) } }]);
    expect(server.list(core.v1.namespaces)).toMatchObject([{ status: { phase: 'Terminating' } }]);
    await client.patch(jobs, key, { kind: 'merge', body: { metadata: { finalizers: null } } });
    expect(server.list(core.v1.namespaces)).toEqual([]);
  });
});

test('the CRDs of the kinds are stored, so a storage migration succeeds', async () => {
  await using server = await FakeApiServer.start({ kinds: [Website] });
  const log = new RecordingLogger();
  const setUp = (manager: Manager) => {
    const migration = storageMigration(manager, [Website]);
    manager.addController({
      async start(signal) {
        await migration.start(signal);
        log.info('migrated');
      },
    });
  };
  await using _manager = await startTestManager({ cluster: server, setUp, log });
  await eventually(() => expect(log.records.map(({ message }) => message)).toContain('migrated'));
  expect(log.errors).toEqual([]);
  const name = 'websites.example.com';
  const { customResourceDefinitions } = apiextensions.v1;
  expect(await server.client.get(customResourceDefinitions, { name })).toMatchObject({
    ...customResourceDefinition(Website),
    status: { storedVersions: ['v1'] },
  });
  expect((await server.client.list(customResourceDefinitions)).map(({ metadata }) => metadata.name)).toEqual([name]);
});
