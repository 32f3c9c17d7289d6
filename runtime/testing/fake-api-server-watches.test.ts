import { describe, expect, test } from 'vitest';
import { brief, disk, disks, watch } from '../test-support/raw-api.ts';
import { FakeApiServer } from './fake-api-server.ts';

describe('watches', () => {
  test('replay what came after their version, then follow', async () => {
    await using server = await FakeApiServer.start();
    const { metadata } = server.put(disks, disk('a'));
    server.put(disks, disk('b'));
    const { next } = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    expect(brief(await next())).toBe('ADDED b');
    server.put(disks, disk('a', 2));
    server.remove(disks, { namespace: 'default', name: 'b' });
    expect(brief(await next())).toBe('MODIFIED a');
    const deleted = await next();
    expect(brief(deleted)).toBe('DELETED b');
    expect(deleted?.object.metadata.resourceVersion).toBe(server.version);
  });

  test('of one namespace see only its objects', async () => {
    await using server = await FakeApiServer.start();
    const { next } = await watch(server, 'resourceVersion=0', 'mine');
    server.put(disks, disk('a', 1, 'other'));
    server.put(disks, disk('b', 1, 'mine'));
    expect(brief(await next())).toBe('ADDED b');
  });

  test('stream the initial events, and a bookmark that ends them', async () => {
    await using server = await FakeApiServer.start();
    server.put(disks, disk('a'));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { next } = await watch(server, query);
    expect(brief(await next())).toBe('ADDED a');
    const end = await next();
    expect(end).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Disk', apiVersion: 'example.com/v1' } });
    expect(end?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    server.bookmark();
    expect((await next())?.object.metadata.annotations).toBeUndefined();
  });

  test('answer 410 in the stream to a version older than the compaction, and go on when open already', async () => {
    await using server = await FakeApiServer.start();
    const { metadata } = server.put(disks, disk('a'));
    const open = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    server.put(disks, disk('b'));
    server.compact();
    const late = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await late.next()).toBeUndefined();
    server.put(disks, disk('c'));
    expect([brief(await open.next()), brief(await open.next())]).toEqual(['ADDED b', 'ADDED c']);
  });

  test('of old servers refuse initial events with 422', async () => {
    await using server = await FakeApiServer.start();
    server.watchList = false;
    expect((await watch(server, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).code).toBe(422);
  });

  test('with a selector see what comes to fit it as new, and what no longer does as deleted', async () => {
    await using server = await FakeApiServer.start();
    const labelled = (app: string) => ({
      ...disk('a'),
      metadata: { namespace: 'default', name: 'a', labels: { app } },
    });
    server.put(disks, labelled('api'));
    const { next } = await watch(server, 'resourceVersion=0&labelSelector=app%20in%20(web)');
    server.put(disks, labelled('web'));
    server.put(disks, { ...labelled('web'), spec: { size: 2 } });
    server.put(disks, labelled('api'));
    server.put(disks, { ...labelled('api'), spec: { size: 2 } });
    server.put(disks, labelled('web'));
    const events = [];
    for (let count = 0; count < 4; count++) events.push(brief(await next()));
    expect(events).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
  });

  test('and lists take selectors of names and namespaces, and refuse those of other fields', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(disks, disk(name));
    const { next } = await watch(server, 'resourceVersion=0&fieldSelector=metadata.name=b');
    expect(brief(await next())).toBe('ADDED b');
    const namesOf = async (fieldSelector: string) =>
      (await server.client.list(disks, { fieldSelector })).map(({ metadata }) => metadata.name);
    expect(await namesOf('metadata.name!=b,metadata.namespace=default')).toEqual(['a']);
    await expect(namesOf('spec.size=1')).rejects.toMatchObject({ code: 400, message: /field label not supported/ });
  });
});
