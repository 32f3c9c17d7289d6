/** What the server knows of custom kinds, and how it deletes. test/envtest compares its answers with a real API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { core } from '../kubernetes/core.ts';
import type { OwnerReference } from '../kubernetes/object.ts';
import { crdYaml } from '../manifests/manifests.ts';
import { defineKind } from '../schema/define-kind.ts';
import { apiRule, int32 } from '../schema/field-types.ts';
import { job, jobs } from '../test-support/objects.ts';
import { FakeApiServer } from './fake-api-server.ts';

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

  test('have the schema and the rules of their version', async () => {
    const rule = { rule: 'self < 5', message: 'too many', isValid: (count: number) => count < 5 };
    const Door = defineKind({ group: 'example.com', version: 'v1', kind: 'Door', spec: z.object({ name: z.string() }) })
      .withVersion({ version: 'v2', spec: z.object({ count: apiRule(int32(), rule) }) })
      .withConversion({ toHub: () => ({ spec: { name: 'a' } }), fromHub: () => ({ spec: { count: 1 } }) });
    await using server = await FakeApiServer.start({ kinds: [Door] });
    await expect(server.client.create(Door.versions.v2, { metadata: key, spec: { count: 5 } })).rejects.toThrow(
      'spec.count: Invalid value: 5: too many',
    );
    await server.client.create(Door.versions.v2, { metadata: key, spec: { count: 4 } });
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
