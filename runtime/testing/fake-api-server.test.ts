import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pathOf, type Resource } from '../kubernetes/resource.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly ready: boolean };
}

const widgets: Resource<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

interface Event {
  readonly type: string;
  readonly object: Widget & { readonly code?: number };
}

/** Whatever was answered: an object, a list or a Status. */
type Answer = Widget & {
  readonly reason: string;
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Widget[];
};

function widget(name: string, size = 1, namespace = 'default') {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace }, spec: { size } };
}

async function call(server: FakeApiServer, method: string, path: string, body?: unknown, contentType?: string) {
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { 'content-type': contentType ?? 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

/** Opens a watch; `next` resolves to the events as they come, `undefined` after the last. */
async function watch(server: FakeApiServer, query: string, namespace?: string) {
  const response = await fetch(new URL(`${pathOf(widgets, namespace)}?watch=true&${query}`, server.url));
  const lines = linesOf(response.body!);
  const next = async (): Promise<Event | undefined> => {
    const { value } = await lines.next();
    return value === undefined ? undefined : (JSON.parse(value) as Event);
  };
  return { code: response.status, next, nextLine: async () => (await lines.next()).value };
}

async function* linesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const brief = (event: Event | undefined) => event && `${event.type} ${event.object.metadata.name}`;

describe('objects', () => {
  test('are created, read, replaced and deleted, each write with a new resourceVersion', async () => {
    await using server = await FakeApiServer.start();
    const created = await call(server, 'POST', pathOf(widgets, 'default'), widget('a'));
    expect(created.code).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: 'a', namespace: 'default', generation: 1 });
    expect(created.body.metadata.uid).toBeTruthy();
    const read = await call(server, 'GET', pathOf(widgets, 'default', 'a'));
    expect(read.body).toEqual(created.body);
    const replaced = await call(server, 'PUT', pathOf(widgets, 'default', 'a'), { ...read.body, spec: { size: 2 } });
    expect(replaced.body.spec).toEqual({ size: 2 });
    expect(replaced.body.metadata.generation).toBe(2);
    expect(Number(replaced.body.metadata.resourceVersion)).toBeGreaterThan(Number(read.body.metadata.resourceVersion));
    expect((await call(server, 'DELETE', pathOf(widgets, 'default', 'a'))).code).toBe(200);
    expect(server.list(widgets)).toEqual([]);
  });

  test('are refused with a Status when absent, already there or changed since', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(widgets, 'default', 'a');
    expect((await call(server, 'GET', path)).body).toMatchObject({ kind: 'Status', code: 404, reason: 'NotFound' });
    const stale = server.put(widgets, widget('a'));
    server.put(widgets, widget('a', 2));
    const again = await call(server, 'POST', pathOf(widgets, 'default'), widget('a'));
    expect(again.body).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    expect((await call(server, 'PUT', path, stale)).body).toMatchObject({ code: 409, reason: 'Conflict' });
    const otherUid = { ...widget('a'), metadata: { ...widget('a').metadata, uid: 'another' } };
    expect((await call(server, 'PUT', path, otherUid)).code).toBe(409);
    expect((await call(server, 'DELETE', path, { preconditions: { uid: 'another' } })).code).toBe(409);
  });

  test('keep spec and status apart', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(widgets, 'default', 'a');
    await call(server, 'POST', pathOf(widgets, 'default'), { ...widget('a'), status: { ready: true } });
    expect(server.get(widgets, { namespace: 'default', name: 'a' })).not.toHaveProperty('status');
    await call(server, 'PUT', `${path}/status`, { ...widget('a', 9), status: { ready: true } });
    await call(server, 'PUT', path, { ...widget('a', 3), status: { ready: false } });
    expect(server.list(widgets)[0]).toMatchObject({ spec: { size: 3 }, status: { ready: true } });
  });

  test('are merge-patched, and left alone by a write that changes nothing or is a dry run', async () => {
    await using server = await FakeApiServer.start();
    const path = pathOf(widgets, 'default', 'a');
    server.put(widgets, { ...widget('a'), metadata: { name: 'a', namespace: 'default', labels: { x: '1', y: '2' } } });
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
    const path = pathOf(widgets, 'default', 'a');
    server.put(widgets, { ...widget('a'), metadata: { name: 'a', namespace: 'default', finalizers: ['keep'] } });
    const marked = await call(server, 'DELETE', path);
    expect(marked.body.metadata.deletionTimestamp).toBeTruthy();
    await call(server, 'PUT', path, { ...marked.body, metadata: { ...marked.body.metadata, finalizers: [] } });
    expect(server.list(widgets)).toEqual([]);
  });
});

describe('lists', () => {
  test('come in pages that show one moment, also while objects change', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['c', 'a', 'b']) server.put(widgets, widget(name));
    const first = (await call(server, 'GET', `${pathOf(widgets)}?limit=2`)).body;
    server.remove(widgets, { namespace: 'default', name: 'c' });
    server.put(widgets, widget('d'));
    const second = (await call(server, 'GET', `${pathOf(widgets)}?limit=2&continue=${first.metadata.continue}`)).body;
    expect(first.kind).toBe('WidgetList');
    expect([...first.items, ...second.items].map((item: Widget) => item.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(second.metadata.continue).toBeUndefined();
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('of one namespace hold only its objects, and a label selector chooses', async () => {
    await using server = await FakeApiServer.start();
    server.put(widgets, widget('a'));
    server.put(widgets, { ...widget('b'), metadata: { name: 'b', namespace: 'other', labels: { app: 'x' } } });
    const names = async (path: string) =>
      (await call(server, 'GET', path)).body.items.map((item: Widget) => item.metadata.name);
    expect(await names(pathOf(widgets, 'other'))).toEqual(['b']);
    expect(await names(`${pathOf(widgets)}?labelSelector=app%3Dx`)).toEqual(['b']);
    expect(await names(`${pathOf(widgets)}?labelSelector=app!%3Dx`)).toEqual(['a']);
  });

  test('answer 410 to a continue token older than the compaction', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(widgets, widget(name));
    const { metadata } = (await call(server, 'GET', `${pathOf(widgets)}?limit=1`)).body;
    server.compact();
    const next = await call(server, 'GET', `${pathOf(widgets)}?limit=1&continue=${metadata.continue}`);
    expect(next.body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('of built-in kinds leave kind and apiVersion out of the items', async () => {
    await using server = await FakeApiServer.start();
    const jobs: Resource = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
    server.put(jobs, { metadata: { name: 'a', namespace: 'default' } });
    server.put(widgets, widget('a'));
    expect((await call(server, 'GET', pathOf(jobs))).body.items[0]).not.toHaveProperty('kind');
    expect((await call(server, 'GET', pathOf(widgets))).body.items[0]).toHaveProperty('kind', 'Widget');
  });
});

describe('watches', () => {
  test('replay what came after their version, then follow', async () => {
    await using server = await FakeApiServer.start();
    const { metadata } = server.put(widgets, widget('a'));
    server.put(widgets, widget('b'));
    const { next } = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    expect(brief(await next())).toBe('ADDED b');
    server.put(widgets, widget('a', 2));
    server.remove(widgets, { namespace: 'default', name: 'b' });
    expect(brief(await next())).toBe('MODIFIED a');
    const deleted = await next();
    expect(brief(deleted)).toBe('DELETED b');
    expect(deleted?.object.metadata.resourceVersion).toBe(server.version);
  });

  test('of one namespace see only its objects', async () => {
    await using server = await FakeApiServer.start();
    const { next } = await watch(server, 'resourceVersion=0', 'mine');
    server.put(widgets, widget('a', 1, 'other'));
    server.put(widgets, widget('b', 1, 'mine'));
    expect(brief(await next())).toBe('ADDED b');
  });

  test('stream the initial events, and a bookmark that ends them', async () => {
    await using server = await FakeApiServer.start();
    server.put(widgets, widget('a'));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { next } = await watch(server, query);
    expect(brief(await next())).toBe('ADDED a');
    const end = await next();
    expect(end).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Widget', apiVersion: 'example.com/v1' } });
    expect(end?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    server.bookmark();
    expect((await next())?.object.metadata.annotations).toBeUndefined();
  });

  test('answer 410 in the stream to a version older than the compaction, and go on when open already', async () => {
    await using server = await FakeApiServer.start();
    const { metadata } = server.put(widgets, widget('a'));
    const open = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    server.put(widgets, widget('b'));
    server.compact();
    const late = await watch(server, `resourceVersion=${metadata.resourceVersion}`);
    expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await late.next()).toBeUndefined();
    server.put(widgets, widget('c'));
    expect([brief(await open.next()), brief(await open.next())]).toEqual(['ADDED b', 'ADDED c']);
  });

  test('of old servers refuse initial events with 422', async () => {
    await using server = await FakeApiServer.start();
    server.watchList = false;
    expect((await watch(server, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).code).toBe(422);
  });
});

describe('faults', () => {
  test('strike one matching request each, in the order given', async () => {
    await using server = await FakeApiServer.start();
    server.fail({ verb: 'list' }, { kind: 'error', code: 503 });
    server.fail({ verb: 'list' }, { kind: 'error', code: 429, retryAfterSeconds: 7 });
    server.fail({ verb: 'list' }, { kind: 'drop' });
    server.fail({ verb: 'list' }, { kind: 'cutAnswer' });
    expect((await call(server, 'GET', pathOf(widgets, 'default', 'a'))).code).toBe(404);
    expect((await call(server, 'GET', pathOf(widgets))).body.reason).toBe('ServiceUnavailable');
    expect((await call(server, 'GET', pathOf(widgets))).headers.get('retry-after')).toBe('7');
    await expect(call(server, 'GET', pathOf(widgets))).rejects.toThrow();
    await expect(call(server, 'GET', pathOf(widgets))).rejects.toThrow();
    expect((await call(server, 'GET', pathOf(widgets))).code).toBe(200);
    expect(server.pendingFaults).toBe(0);
    expect(server.count({ verb: 'list' })).toBe(5);
  });

  test('hold a request until they are told', async () => {
    await using server = await FakeApiServer.start();
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const pending = call(server, 'GET', pathOf(widgets));
    await server.until(() => server.count() === 1);
    server.put(widgets, widget('late'));
    held.resolve();
    expect((await pending).body.items).toHaveLength(1);
  });

  test('strike a watch after as many events as asked', async () => {
    await using server = await FakeApiServer.start();
    server.put(widgets, widget('a'));
    server.fail({ verb: 'watch' }, { kind: 'close', afterEvents: 1 });
    const { next } = await watch(server, 'resourceVersion=0');
    expect(brief(await next())).toBe('ADDED a');
    expect(server.pendingFaults).toBe(1);
    server.put(widgets, widget('b'));
    expect(server.pendingFaults).toBe(0);
    expect(server.openWatches).toBe(0);
    expect([brief(await next()), await next()]).toEqual(['ADDED b', undefined]);
  });

  test('reset a watch, spoil its lines, silence it or end it with an error', async () => {
    await using server = await FakeApiServer.start();
    const events = async (kind: 'reset' | 'garbage' | 'halfLine' | 'silence' | 'expire' | 'fail') => {
      const { nextLine } = await watch(server, `resourceVersion=${server.version}`);
      server.breakWatches({ kind });
      server.put(widgets, widget(kind));
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

  test('break initial events off, or keep back the bookmark that ends them', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(widgets, widget(name));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    server.fail({ verb: 'watch' }, { kind: 'breakInitialEvents', afterEvents: 1 });
    const broken = await watch(server, query);
    expect([brief(await broken.next()), await broken.next()]).toEqual(['ADDED a', undefined]);
    const held = Promise.withResolvers<void>();
    server.fail({ verb: 'watch', initialEvents: true }, { kind: 'lateInitialEnd', until: held.promise });
    const { next } = await watch(server, query);
    server.remove(widgets, { namespace: 'default', name: 'a' });
    held.resolve();
    const types = [await next(), await next(), await next(), await next()].map((event) => event?.type);
    expect(types).toEqual(['ADDED', 'ADDED', 'DELETED', 'BOOKMARK']);
  });
});

describe('connections', () => {
  test('are counted, reset at accept when asked, and refused while the server is down', async () => {
    await using server = await FakeApiServer.start();
    server.rejectConnections(1);
    await expect(call(server, 'GET', pathOf(widgets))).rejects.toThrow();
    await call(server, 'GET', pathOf(widgets));
    expect([server.connectionsAccepted, server.openConnections]).toEqual([2, 1]);
    server.dropConnections();
    await server.until(() => server.openConnections === 0);
    const { port } = server.url;
    await server.goDown();
    await expect(call(server, 'GET', pathOf(widgets))).rejects.toThrow();
    await server.comeBack();
    expect(server.url.port).toBe(port);
    expect((await call(server, 'GET', pathOf(widgets))).code).toBe(200);
  });

  test('speak TLS with a given certificate, and want the bearer token when there is one', async () => {
    const certificate = selfSignedCertificate('fake API server');
    await using server = await FakeApiServer.start({ tls: certificate });
    server.bearerToken = 'secret';
    const codeWith = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const url = new URL(pathOf(widgets), server.url);
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
