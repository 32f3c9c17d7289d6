import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { pathOf, type Resource } from '../kubernetes/resource.ts';
import { call, type Disk, disk, disks } from '../test-support/raw-api.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

describe('objects', () => {
  test('are created, read, replaced and deleted, each write with a new resourceVersion', async () => {
    await using server = await FakeApiServer.start();
    const created = await call(server, 'POST', pathOf(disks, 'default'), disk('a'));
    expect(created.code).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: 'a', namespace: 'default', generation: 1 });
    expect(created.body.metadata.uid).toBeTruthy();
    const read = await call(server, 'GET', pathOf(disks, 'default', 'a'));
    expect(read.body).toEqual(created.body);
    const replaced = await call(server, 'PUT', pathOf(disks, 'default', 'a'), { ...read.body, spec: { size: 2 } });
    expect(replaced.body.spec).toEqual({ size: 2 });
    expect(replaced.body.metadata.generation).toBe(2);
    expect(Number(replaced.body.metadata.resourceVersion)).toBeGreaterThan(Number(read.body.metadata.resourceVersion));
    expect((await call(server, 'DELETE', pathOf(disks, 'default', 'a'))).code).toBe(200);
    expect(server.list(disks)).toEqual([]);
  });

  test('are refused with a Status when absent, already there or changed since', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(disks, 'default', 'a');
    expect((await call(server, 'GET', path)).body).toMatchObject({ kind: 'Status', code: 404, reason: 'NotFound' });
    const stale = server.put(disks, disk('a'));
    server.put(disks, disk('a', 2));
    const again = await call(server, 'POST', pathOf(disks, 'default'), disk('a'));
    expect(again.body).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    expect((await call(server, 'PUT', path, stale)).body).toMatchObject({ code: 409, reason: 'Conflict' });
    const otherUid = { ...disk('a'), metadata: { ...disk('a').metadata, uid: 'another' } };
    expect((await call(server, 'PUT', path, otherUid)).code).toBe(409);
    expect((await call(server, 'DELETE', path, { preconditions: { uid: 'another' } })).code).toBe(409);
  });

  test('keep spec and status apart', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(disks, 'default', 'a');
    await call(server, 'POST', pathOf(disks, 'default'), { ...disk('a'), status: { ready: true } });
    expect(server.get(disks, { namespace: 'default', name: 'a' })).not.toHaveProperty('status');
    await call(server, 'PUT', `${path}/status`, { ...disk('a', 9), status: { ready: true } });
    await call(server, 'PUT', path, { ...disk('a', 3), status: { ready: false } });
    expect(server.list(disks)[0]).toMatchObject({ spec: { size: 3 }, status: { ready: true } });
  });

  test('are merge-patched, and left alone by a write that changes nothing or is a dry run', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(disks, 'default', 'a');
    server.put(disks, { ...disk('a'), metadata: { name: 'a', namespace: 'default', labels: { x: '1', y: '2' } } });
    const patch = { metadata: { labels: { x: null } }, spec: { size: 5 } };
    const patched = await call(server, 'PATCH', path, patch, 'application/merge-patch+json');
    expect(patched.body).toMatchObject({ metadata: { labels: { y: '2' } }, spec: { size: 5 } });
    expect(patched.body.metadata.labels).toEqual({ y: '2' });
    expect((await call(server, 'PATCH', path, patch)).code).toBe(415);
    const before = server.version;
    await call(server, 'PUT', path, patched.body);
    await call(server, 'PUT', `${path}?dryRun=All`, { ...patched.body, spec: { size: 6 } });
    expect(server.version).toBe(before);
  });

  test('stay, marked for deletion, until their finalizers are gone', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(disks, 'default', 'a');
    server.put(disks, { ...disk('a'), metadata: { name: 'a', namespace: 'default', finalizers: ['keep'] } });
    const marked = await call(server, 'DELETE', path);
    expect(marked.body.metadata.deletionTimestamp).toBeTruthy();
    const freed = { ...marked.body, metadata: { ...marked.body.metadata, finalizers: [] } };
    // As a real one answers: what was sent, in the version that the object had before it went.
    expect((await call(server, 'PUT', path, freed)).body).toEqual(freed);
    expect(server.list(disks)).toEqual([]);
  });

  test('that are deleted at once are answered with a status that names them', async () => {
    await using server = await FakeApiServer.start();
    const { uid } = server.put(disks, disk('a')).metadata;
    const { body } = await call(server, 'DELETE', pathOf(disks, 'default', 'a'));
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'disks', uid } });
  });
});

describe('lists', () => {
  test('come in pages that show one moment, also while objects change', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['c', 'a', 'b']) server.put(disks, disk(name));
    const first = (await call(server, 'GET', `${pathOf(disks)}?limit=2`)).body;
    server.remove(disks, { namespace: 'default', name: 'c' });
    server.put(disks, disk('d'));
    const second = (await call(server, 'GET', `${pathOf(disks)}?limit=2&continue=${first.metadata.continue}`)).body;
    expect(first.kind).toBe('DiskList');
    expect([...first.items, ...second.items].map((item: Disk) => item.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(second.metadata.continue).toBeUndefined();
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('of one namespace hold only its objects, and a label selector chooses', async () => {
    await using server = await FakeApiServer.start();
    server.put(disks, disk('a'));
    server.put(disks, { ...disk('b'), metadata: { name: 'b', namespace: 'other', labels: { app: 'x' } } });
    const names = async (path: string) =>
      (await call(server, 'GET', path)).body.items.map((item: Disk) => item.metadata.name);
    expect(await names(pathOf(disks, 'other'))).toEqual(['b']);
    expect(await names(`${pathOf(disks)}?labelSelector=app%3Dx`)).toEqual(['b']);
    expect(await names(`${pathOf(disks)}?labelSelector=app!%3Dx`)).toEqual(['a']);
  });

  test('answer 410 to a continue token older than the compaction', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(disks, disk(name));
    const { metadata } = (await call(server, 'GET', `${pathOf(disks)}?limit=1`)).body;
    server.compact();
    const next = await call(server, 'GET', `${pathOf(disks)}?limit=1&continue=${metadata.continue}`);
    expect(next.body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('of built-in kinds leave kind and apiVersion out of the items', async () => {
    await using server = await FakeApiServer.start();
    const jobs: Resource = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
    server.put(jobs, { metadata: { name: 'a', namespace: 'default' } });
    server.put(disks, disk('a'));
    expect((await call(server, 'GET', pathOf(jobs))).body.items[0]).not.toHaveProperty('kind');
    expect((await call(server, 'GET', pathOf(disks))).body.items[0]).toHaveProperty('kind', 'Disk');
  });
});

describe('connections', () => {
  test('are counted, reset at accept when asked, and refused while the server is down', async () => {
    await using server = await FakeApiServer.start();
    server.rejectConnections(1);
    await expect(call(server, 'GET', pathOf(disks))).rejects.toThrow();
    await call(server, 'GET', pathOf(disks));
    expect([server.connectionsAccepted, server.openConnections]).toEqual([2, 1]);
    server.dropConnections();
    await server.until(() => server.openConnections === 0);
    const { port } = server.url;
    await server.goDown();
    await expect(call(server, 'GET', pathOf(disks))).rejects.toThrow();
    await server.comeBack();
    expect(server.url.port).toBe(port);
    expect((await call(server, 'GET', pathOf(disks))).code).toBe(200);
  });

  test('speak TLS with a given certificate, and want the bearer token when there is one', async () => {
    const certificate = selfSignedCertificate('fake API server');
    await using server = await FakeApiServer.start({ tls: certificate });
    server.bearerToken = 'secret';
    const codeWith = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const url = new URL(pathOf(disks), server.url);
        const sent = request(url, { ca: certificate.cert, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
    expect(await codeWith({})).toBe(401);
    expect(await codeWith({ authorization: 'Bearer secret' })).toBe(200);
  });
});
