import { describe, expect, test } from 'vitest';
import { resourcePath } from '../kubernetes/resource.ts';
import { type Job, job, jobs, widget, widgets } from '../test-support/objects.ts';
import { formatWatchEvent, sendRequest, watch } from '../test-support/raw-api.ts';
import { eventually } from './eventually.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { FakeClock } from './fake-clock.ts';

describe('objects', () => {
  test('get a Status if absent, existing or changed', async () => {
    await using server = await FakeApiServer.start();
    const path = resourcePath(jobs, 'default', 'a');
    expect((await sendRequest(server, 'GET', path)).body).toMatchObject({
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
    });
    const stale = server.put(jobs, job('a'));
    server.put(jobs, job('a', 2));
    const again = await sendRequest(server, 'POST', resourcePath(jobs, 'default'), job('a'));
    expect(again.body).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    expect((await sendRequest(server, 'PUT', path, stale)).body).toMatchObject({ code: 409, reason: 'Conflict' });
    const otherUid = { ...job('a'), metadata: { ...job('a').metadata, uid: 'another' } };
    expect((await sendRequest(server, 'PUT', path, otherUid)).code).toBe(409);
    expect((await sendRequest(server, 'DELETE', path, { preconditions: { uid: 'another' } })).code).toBe(409);
  });

  test('keep spec and status apart', async () => {
    await using server = await FakeApiServer.start();
    const path = resourcePath(jobs, 'default', 'a');
    await sendRequest(server, 'POST', resourcePath(jobs, 'default'), { ...job('a'), status: { ready: 1 } });
    expect(server.get(jobs, { namespace: 'default', name: 'a' })).not.toHaveProperty('status');
    await sendRequest(server, 'PUT', `${path}/status`, { ...job('a', 9), status: { ready: 1 } });
    await sendRequest(server, 'PUT', path, { ...job('a', 3), status: { ready: 0 } });
    expect(server.list(jobs)[0]).toMatchObject({ spec: { parallelism: 3 }, status: { ready: 1 } });
  });

  test('are merge-patched, but not by an empty change or a dry run', async () => {
    await using server = await FakeApiServer.start();
    const path = resourcePath(jobs, 'default', 'a');
    server.put(jobs, { ...job('a'), metadata: { name: 'a', namespace: 'default', labels: { x: '1', y: '2' } } });
    const patch = { metadata: { labels: { x: null } }, spec: { parallelism: 5 } };
    const patched = await sendRequest(server, 'PATCH', path, patch, 'application/merge-patch+json');
    expect(patched.body).toMatchObject({ metadata: { labels: { y: '2' } }, spec: { parallelism: 5 } });
    expect(patched.body.metadata.labels).toEqual({ y: '2' });
    expect((await sendRequest(server, 'PATCH', path, patch)).code).toBe(415);
    const before = server.version;
    await sendRequest(server, 'PUT', path, patched.body);
    await sendRequest(server, 'PUT', `${path}?dryRun=All`, { ...patched.body, spec: { parallelism: 6 } });
    expect(server.version).toBe(before);
  });

  test('remain, marked for deletion, until their finalizers are gone', async () => {
    await using server = await FakeApiServer.start();
    const path = resourcePath(jobs, 'default', 'a');
    server.put(jobs, { ...job('a'), metadata: { name: 'a', namespace: 'default', finalizers: ['keep'] } });
    const marked = await sendRequest(server, 'DELETE', path);
    expect(marked.body.metadata.deletionTimestamp).toBeTruthy();
    const freed = { ...marked.body, metadata: { ...marked.body.metadata, finalizers: [] } };
    // As on a real server: the sent object, in the version that it had before its removal.
    const { finalizers: _, ...metadata } = freed.metadata;
    expect((await sendRequest(server, 'PUT', path, freed)).body).toEqual({ ...freed, metadata });
    expect(server.list(jobs)).toEqual([]);
  });

  test('deleted at once are answered with a Status', async () => {
    await using server = await FakeApiServer.start();
    const { uid } = server.put(jobs, job('a')).metadata;
    const { body } = await sendRequest(server, 'DELETE', resourcePath(jobs, 'default', 'a'));
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'jobs', uid } });
  });
});

describe('lists', () => {
  test('come in consistent pages while objects change', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['c', 'a', 'b']) server.put(jobs, job(name));
    const first = (await sendRequest(server, 'GET', `${resourcePath(jobs)}?limit=2`)).body;
    server.remove(jobs, { namespace: 'default', name: 'c' });
    server.put(jobs, job('d'));
    const second = (
      await sendRequest(server, 'GET', `${resourcePath(jobs)}?limit=2&continue=${first.metadata.continue}`)
    ).body;
    expect(first.kind).toBe('JobList');
    expect([...first.items, ...second.items].map((item: Job) => item.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(second.metadata.continue).toBeUndefined();
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('answer 410 to a continue token older than the compaction', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(jobs, job(name));
    const { metadata } = (await sendRequest(server, 'GET', `${resourcePath(jobs)}?limit=1`)).body;
    server.compact();
    const next = await sendRequest(server, 'GET', `${resourcePath(jobs)}?limit=1&continue=${metadata.continue}`);
    expect(next.body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('of built-in kinds omit kind and apiVersion of the items', async () => {
    await using server = await FakeApiServer.start();
    server.put(jobs, job('a'));
    server.put(widgets, widget());
    expect((await sendRequest(server, 'GET', resourcePath(jobs))).body.items[0]).not.toHaveProperty('kind');
    expect((await sendRequest(server, 'GET', resourcePath(widgets))).body.items[0]).toHaveProperty('kind', 'Widget');
  });
});

describe('faults', () => {
  test('reset, corrupt, silence or fail a watch', async () => {
    await using server = await FakeApiServer.start();
    const events = async (kind: 'reset' | 'garbage' | 'halfLine' | 'silence' | 'expire' | 'fail') => {
      const { nextLine } = await watch(server, `resourceVersion=${server.version}`);
      server.breakWatches({ kind });
      server.put(jobs, job(kind));
      return nextLine;
    };
    await expect((await events('reset'))()).rejects.toThrow();
    expect(await (await events('garbage'))()).toBe('<html>upstream gone</html>');
    server.dropConnections();
    expect(await (await events('halfLine'))()).toMatch(/^\{"type":"ADDED",[^\n]*[^}\n]$/);
    expect(JSON.parse((await (await events('expire'))())!).object.code).toBe(410);
    expect(JSON.parse((await (await events('fail'))())!).object.code).toBe(500);
    const silent = await events('silence');
    server.bookmark();
    server.dropConnections();
    await expect(silent()).rejects.toThrow();
  });

  test('apply to a number of requests of a kind, an object or a subresource', async () => {
    await using server = await FakeApiServer.start();
    server.put(jobs, job('a'));
    server.fail({ resource: jobs, name: 'a', verb: 'get' }, { kind: 'error', code: 429 }, 2);
    server.fail({ subresource: 'status' }, { kind: 'error', code: 409, message: 'another client was faster' });
    expect(server.pendingFaults).toBe(3);
    const get = async () => (await sendRequest(server, 'GET', resourcePath(jobs, 'default', 'a'))).code;
    expect([await get(), await get(), await get()]).toEqual([429, 429, 200]);
    const status = await sendRequest(server, 'PUT', resourcePath(jobs, 'default', 'a', 'status'), job('a'));
    expect(status.body).toMatchObject({ reason: 'Conflict', message: 'another client was faster' });
  });

  test('delay a request until its time has passed on the clock', async () => {
    const clock = new FakeClock();
    await using server = await FakeApiServer.start({ clock });
    server.fail({}, { kind: 'delay', delayMs: 5_000 });
    const answer = sendRequest(server, 'GET', resourcePath(jobs));
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    await clock.advance(4_999);
    expect(clock.pendingTimers).toBe(1);
    server.put(jobs, job('late'));
    await clock.advance(1);
    expect((await answer).body.items).toHaveLength(1);
  });

  test('hang a request as long as the client waits', async () => {
    await using server = await FakeApiServer.start();
    server.fail({ verb: 'list' }, { kind: 'hang' });
    const given = new AbortController();
    const hanging = server.client.list(jobs, { signal: given.signal });
    await server.until(({ requests }) => requests.length === 1);
    expect(await server.client.list(jobs)).toEqual([]);
    given.abort(new Error('gave up'));
    await expect(hanging).rejects.toThrow('gave up');
  });
});

describe('watches', () => {
  test('answer 410 in the stream to a compacted version, but continue if open', async () => {
    await using server = await FakeApiServer.start();
    const { metadata } = server.put(jobs, job('a'));
    const open = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    server.put(jobs, job('b'));
    server.compact();
    const lateWatch = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    expect(await lateWatch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await lateWatch.next()).toBeUndefined();
    server.put(jobs, job('c'));
    expect([formatWatchEvent(await open.next()), formatWatchEvent(await open.next())]).toEqual(['ADDED b', 'ADDED c']);
  });

  test('with a selector get ADDED for new matches and DELETED for lost matches', async () => {
    await using server = await FakeApiServer.start();
    const labelled = (app: string) => ({
      ...job('a'),
      metadata: { namespace: 'default', name: 'a', labels: { app } },
    });
    server.put(jobs, labelled('api'));
    const { next } = await watch(server, 'resourceVersion=0&labelSelector=app%20in%20(web)');
    server.put(jobs, labelled('web'));
    server.put(jobs, { ...labelled('web'), spec: { parallelism: 2 } });
    server.put(jobs, labelled('api'));
    server.put(jobs, { ...labelled('api'), spec: { parallelism: 2 } });
    server.put(jobs, labelled('web'));
    const events = [];
    for (let count = 0; count < 4; count++) events.push(formatWatchEvent(await next()));
    expect(events).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
  });

  test('and lists accept field selectors of names and namespaces only', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(jobs, job(name));
    const { next } = await watch(server, 'resourceVersion=0&fieldSelector=metadata.name=b');
    expect(formatWatchEvent(await next())).toBe('ADDED b');
    const listNames = async (fieldSelector: string) =>
      (await server.client.list(jobs, { fieldSelector })).map(({ metadata }) => metadata.name);
    expect(await listNames('metadata.name!=b,metadata.namespace=default')).toEqual(['a']);
    await expect(listNames('spec.parallelism=1')).rejects.toMatchObject({
      code: 400,
      message: /field label not supported/,
    });
  });
});
