import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pathOf, type Resource } from '../kubernetes/resource.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { ApiError, apiErrorOf, isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import type { Credentials, TlsOptions } from './server-credentials.ts';
import { type CredentialsSource, HttpTransport, type HttpTransportOptions } from './transport.ts';

interface Job extends KubernetesObject {
  readonly spec?: { readonly parallelism: number };
}

const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const job = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' } });
const list = { method: 'GET', path: pathOf(jobs) } as const;
const get = (name: string) => ({ method: 'GET', path: pathOf(jobs, 'default', name) }) as const;

/** Credentials that a test changes; `renewed` is the token that a refresh finds. */
class TestCredentials implements CredentialsSource {
  refreshes = 0;
  renewed = '';
  #latest: Credentials;

  constructor(server: URL) {
    this.#latest = { server, tls: {}, headers: {} };
  }

  useToken(token: string): void {
    this.#latest = { ...this.#latest, headers: { Authorization: `Bearer ${token}` } };
  }

  useProxy(proxy: URL): void {
    this.#latest = { ...this.#latest, proxy };
  }

  useTls(tls: TlsOptions): void {
    this.#latest = { ...this.#latest, tls };
  }

  async current(): Promise<Credentials> {
    return this.#latest;
  }

  refresh(refused: Credentials): void {
    if (refused !== this.#latest) return;
    this.refreshes++;
    this.useToken(this.renewed);
  }
}

/** A server, and a transport to it. */
class Scene implements AsyncDisposable {
  readonly server: FakeApiServer;
  readonly credentials: TestCredentials;
  readonly transport: HttpTransport;

  private constructor(server: FakeApiServer, options: Partial<HttpTransportOptions>) {
    this.server = server;
    this.credentials = new TestCredentials(server.url);
    this.transport = new HttpTransport({
      userAgent: 'tester',
      credentials: this.credentials,
      clock: new FakeClock(),
      ...options,
    });
  }

  static async start(options: Partial<HttpTransportOptions> = {}): Promise<Scene> {
    return new Scene(await FakeApiServer.start(), options);
  }

  static async startTls(options: Partial<HttpTransportOptions> = {}): Promise<Scene> {
    const certificate = selfSignedCertificate('fake API server');
    // Real API servers choose HTTP/2 when a client offers it. This one says so too, and cannot speak it.
    const tls = { ...certificate, ALPNProtocols: ['h2', 'http/1.1'] };
    const scene = new Scene(await FakeApiServer.start({ tls }), options);
    scene.credentials.useTls({ ca: certificate.cert });
    return scene;
  }

  /** Opens a watch; the function resolves to the next event's name. */
  async watch(signal?: AbortSignal): Promise<() => Promise<string | undefined>> {
    const query = { watch: true, resourceVersion: this.server.version };
    const bytes = (await this.transport.stream({ ...list, query, signal }))[Symbol.asyncIterator]();
    return async () => {
      const { value } = await bytes.next();
      return value && JSON.parse(Buffer.from(value).toString()).object.metadata.name;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.transport.close();
    await this.server.close();
  }
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('was not refused'),
    (error: unknown) => error,
  );
}

describe('requests', () => {
  test('carry method, path, query and body, and return the JSON of the answer', async () => {
    await using scene = await Scene.start();
    const { transport, server } = scene;
    const query = { dryRun: undefined, fieldManager: 'me & you', force: true };
    const path = pathOf(jobs, 'default');
    const created = (await transport.request({ method: 'POST', path, query, body: job('a') })) as Job;
    expect(created).toEqual(server.get(jobs, { namespace: 'default', name: 'a' }));
    const [call] = server.requests;
    expect(call?.query.toString()).toBe('fieldManager=me+%26+you&force=true');
    expect(call?.headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
    expect(call?.headers['user-agent']).toBe('tester');
  });

  test('send the content type they are given', async () => {
    await using scene = await Scene.start();
    scene.server.put(jobs, job('a'));
    const patched = await scene.transport.request({
      method: 'PATCH',
      path: pathOf(jobs, 'default', 'a'),
      body: { spec: { parallelism: 3 } },
      contentType: 'application/merge-patch+json',
    });
    expect(patched).toMatchObject({ spec: { parallelism: 3 } });
  });

  test('return an answer in which null is absent', async () => {
    await using scene = await Scene.start();
    scene.server.fail({}, { kind: 'text', code: 200, text: '{"items": null, "metadata": {"a": [null, {"b": null}]}}' });
    expect(await scene.transport.request(list)).toStrictEqual({ metadata: { a: [{}] } });
  });

  test('return nothing for an answer without content', async () => {
    await using scene = await Scene.start();
    scene.server.fail({}, { kind: 'text', code: 204, text: '' });
    expect(await scene.transport.request(list)).toBeUndefined();
  });
});

describe('an answer that is longer than was asked for', () => {
  const text = JSON.stringify({ metadata: { a: 'x'.repeat(1000) } });

  test.each([
    ['a yes', 201],
    ['a no', 422],
  ])('is not read to its end, and known as %s', async (_, code) => {
    await using scene = await Scene.start();
    scene.server.fail({}, { kind: 'text', code, text });
    const error = await errorOf(scene.transport.request({ ...list, maxAnswerBytes: 1000 }));
    expect(error).toMatchObject({ name: 'AnswerTooLongError', code });
  });

  test('is one of a byte more', async () => {
    await using scene = await Scene.start();
    scene.server.fail({}, { kind: 'text', code: 200, text });
    expect(await scene.transport.request({ ...list, maxAnswerBytes: text.length })).toEqual(JSON.parse(text));
  });
});

describe('errors', () => {
  test('from the API server keep code, reason and message', async () => {
    await using scene = await Scene.start();
    const { transport, server } = scene;
    const missing = await errorOf(transport.request(get('a')));
    expect(missing).toBeInstanceOf(ApiError);
    expect(missing).toMatchObject({ code: 404, reason: 'NotFound', message: 'jobs.batch "a" not found' });
    expect(isNotFound(missing)).toBe(true);
    const stale = server.put(jobs, job('a'));
    server.put(jobs, { ...job('a'), spec: { parallelism: 2 } });
    const again = await errorOf(transport.request({ method: 'POST', path: pathOf(jobs, 'default'), body: job('a') }));
    expect([isAlreadyExists(again), isConflict(again)]).toEqual([true, false]);
    const conflict = await errorOf(transport.request({ ...get('a'), method: 'PUT', body: stale }));
    expect([isAlreadyExists(conflict), isConflict(conflict)]).toEqual([false, true]);
  });

  test('tell how long the server asked to wait', async () => {
    await using scene = await Scene.start();
    scene.server.fail({ verb: 'list' }, { kind: 'error', code: 429, retryAfterSeconds: 7 });
    expect(await errorOf(scene.transport.request(list))).toMatchObject({ code: 429, retryAfterMs: 7000 });
    scene.server.fail({ verb: 'watch' }, { kind: 'error', code: 503, retryAfterSeconds: 3 });
    const refused = await errorOf(scene.transport.stream({ ...list, query: { watch: true } }));
    expect(refused).toMatchObject({ code: 503, retryAfterMs: 3000 });
  });

  test('that have null for what they do not know are as those that leave it out', async () => {
    await using scene = await Scene.start();
    const status = '{"code": 409, "message": null, "reason": null, "details": {"retryAfterSeconds": null}}';
    scene.server.fail({}, { kind: 'text', code: 409, text: status });
    expect(await errorOf(scene.transport.request(list))).toMatchObject({
      message: 'the API server answered 409',
      reason: '',
      causes: [],
      retryAfterMs: undefined,
    });
  });

  test('from a proxy in front show its words', async () => {
    await using scene = await Scene.start();
    scene.server.fail({}, { kind: 'text', code: 502, text: '<html>bad gateway</html>' });
    const error = await errorOf(scene.transport.request(list));
    expect(error).toMatchObject({ code: 502, reason: '', message: '<html>bad gateway</html>' });
  });

  test.each(['drop', 'cutAnswer'] as const)('without a whole answer (%s) are no ApiError', async (kind) => {
    await using scene = await Scene.start();
    scene.server.put(jobs, job('a'));
    scene.server.fail({}, { kind });
    const error = await errorOf(scene.transport.request(list));
    expect(error).toBeInstanceOf(Error);
    expect(apiErrorOf(error)).toBeUndefined();
    expect(await scene.transport.request(list)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  });

  test('end a request that is aborted, under way or waiting for its turn', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: new Promise(() => {}) });
    const [first, second] = [new AbortController(), new AbortController()];
    const underWay = errorOf(transport.request({ ...list, signal: first.signal }));
    const waiting = errorOf(transport.request({ ...list, signal: second.signal }));
    await server.until(() => server.count() === 1);
    second.abort(new Error('second'));
    expect(String(await waiting), 'does not wait for its turn').toBe('Error: second');
    first.abort(new Error('first'));
    expect(String(await underWay)).toBe('Error: first');
    expect(await transport.request(list)).toMatchObject({ items: [] });
    expect(server.count()).toBe(2);
  });
});

test('a request that is aborted does not wait for credentials', async () => {
  const credentials = { current: () => new Promise<Credentials>(() => {}), refresh() {} };
  const transport = new HttpTransport({ userAgent: 'tester', credentials, clock: new FakeClock(), maxInFlight: 1 });
  const enough = new AbortController();
  const asked = errorOf(transport.request({ ...list, signal: enough.signal }));
  enough.abort(new Error('enough'));
  expect(String(await asked)).toBe('Error: enough');
});

describe('an answer that does not come in time', () => {
  const never = new Promise<void>(() => {});

  test('ends the request, says after how long, and gives its place to the next', async () => {
    const clock = new FakeClock();
    await using scene = await Scene.start({ maxInFlight: 1, clock });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: never });
    const late = errorOf(transport.request({ ...list, timeoutMs: 20_000 }));
    const next = transport.request(list);
    await server.until(() => server.count() === 1);
    await clock.advance(19_999);
    expect(server.openConnections).toBe(1);
    await clock.advance(1);
    expect(String(await late)).toBe('Error: no answer within 20000 ms');
    expect(await next).toMatchObject({ items: [] });
    expect(clock.pendingTimers).toBe(0);
  });

  test('has all its time when its turn has come, however long it waited', async () => {
    const clock = new FakeClock();
    await using scene = await Scene.start({ maxInFlight: 1, clock });
    const { transport, server } = scene;
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const first = transport.request(list);
    const second = transport.request({ ...list, timeoutMs: 1_000 });
    await server.until(() => server.count() === 1);
    await clock.advance(60_000);
    held.resolve();
    await first;
    expect(await second).toMatchObject({ items: [] });
    expect(clock.pendingTimers).toBe(0);
  });

  test('is not waited for when the request is aborted before', async () => {
    const clock = new FakeClock();
    await using scene = await Scene.start({ clock });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: never });
    const stop = new AbortController();
    const ended = errorOf(transport.request({ ...list, timeoutMs: 1_000, signal: stop.signal }));
    await server.until(() => server.count() === 1);
    stop.abort(new Error('enough'));
    expect(String(await ended)).toBe('Error: enough');
    expect(clock.pendingTimers).toBe(0);
  });
});

test('one namespace whose requests hang holds up nobody else', async () => {
  await using scene = await Scene.start();
  const { transport, server } = scene;
  server.put(jobs, job('a'));
  const enough = new AbortController();
  const hanging = Array.from({ length: 96 }, () => {
    server.fail({ namespace: 'bad' }, { kind: 'hold', until: new Promise(() => {}) });
    const path = pathOf(jobs, 'bad');
    return errorOf(transport.request({ ...list, path, namespace: 'bad', priority: 'urgent', signal: enough.signal }));
  });
  await server.until(() => server.count({ namespace: 'bad' }) > 0);
  for (const priority of ['urgent', 'normal', 'background'] as const) {
    const answer = await transport.request({ ...get('a'), namespace: 'default', priority });
    expect(answer).toMatchObject({ metadata: { name: 'a' } });
  }
  enough.abort();
  await Promise.all(hanging);
});

describe('whenIdle', () => {
  const { signal: never } = new AbortController();

  test('comes when all that is urgent has been sent, and before the rest', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: released });
    const over: string[] = [];
    const all = [
      transport.request(list).then(() => over.push('under way')),
      transport.request({ ...list, priority: 'urgent' }).then(() => over.push('due')),
      transport.request({ ...list, priority: 'urgent' }).then(() => over.push('due')),
      transport.request(list).then(() => over.push('status')),
    ];
    const idle = transport.whenIdle(never).then(() => over.push('idle'));
    await server.until(() => server.count() === 1);
    expect(over).toEqual([]);
    release();
    await idle;
    expect(server.count(), 'the last goes out once the one before it is answered').toBeGreaterThanOrEqual(2);
    expect(over).not.toContain('status');
    await Promise.all(all);
    expect(server.count(), 'asks the server for nothing').toBe(4);
  });

  test('does not wait behind calls that hang for longer than urgent ones are answered', async () => {
    const clock = new FakeClock();
    await using scene = await Scene.start({ clock, maxInFlight: 8 });
    const { transport, server } = scene;
    server.put(jobs, job('a'));
    for (let i = 0; i < 20; i++) {
      server.fail({ namespace: 'bad' }, { kind: 'hold', until: new Promise(() => {}) });
    }
    const enough = new AbortController();
    const hanging = Array.from({ length: 20 }, () =>
      errorOf(
        transport.request({
          ...list,
          namespace: 'bad',
          path: pathOf(jobs, 'bad'),
          priority: 'urgent',
          signal: enough.signal,
        }),
      ),
    );
    let isIdle = false;
    const idle = transport.whenIdle(never).then(() => {
      isIdle = true;
    });
    await clock.advance(200);
    await transport.request({ ...get('a'), namespace: 'default', priority: 'urgent' });
    await clock.advance(249);
    expect(isIdle).toBe(false);
    await clock.advance(1);
    await idle;
    enough.abort();
    await Promise.all(hanging);
  });

  test('lets one go on in each turn of the event loop', async () => {
    await using scene = await Scene.start();
    let turn = 0;
    const count = () => {
      turn++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const turns = await Promise.all([1, 2, 3].map(() => scene.transport.whenIdle(never).then(() => turn)));
    clearImmediate(counting);
    expect(new Set(turns).size).toBe(3);
  });

  test('comes at once for all who wait when the signal aborts', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: new Promise(() => {}) });
    const stop = new AbortController();
    const request = { ...list, priority: 'urgent', signal: stop.signal } as const;
    const requests = [errorOf(transport.request(request)), errorOf(transport.request(request))];
    const all = [1, 2, 3].map(() => transport.whenIdle(stop.signal));
    stop.abort(new Error('enough'));
    await expect(Promise.all(all)).resolves.toHaveLength(3);
    await Promise.all(requests);
  });
});

describe('connections', () => {
  test('for 200 calls are no more than the pool holds', async () => {
    let connected = 0;
    const count = () => void connected++;
    subscribe('undici:client:connected', count);
    await using scene = await Scene.startTls({ maxInFlight: 8 });
    const { transport, server } = scene;
    server.put(jobs, job('a'));
    await Promise.all(Array.from({ length: 100 }, () => transport.request(get('a'))));
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 10 }, () => transport.request(get('a'))));
    unsubscribe('undici:client:connected', count);
    expect(server.count()).toBe(200);
    expect(server.connectionsAccepted).toBeLessThanOrEqual(8);
    expect(connected).toBe(server.connectionsAccepted);
  });

  test('speak HTTP/1.1, also to a server that would rather have HTTP/2', async () => {
    await using scene = await Scene.startTls();
    expect(await scene.transport.request(list)).toMatchObject({ items: [] });
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
  });

  test('of watches take no place from requests', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const watches = await Promise.all([scene.watch(), scene.watch(), scene.watch()]);
    expect(await scene.transport.request(list)).toMatchObject({ items: [] });
    scene.server.put(jobs, job('a'));
    expect(await Promise.all(watches.map((next) => next()))).toEqual(['a', 'a', 'a']);
  });

  test('are given to urgent requests first', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    for (const name of ['first', 'event', 'status', 'due']) server.put(jobs, job(name));
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const all = [
      transport.request(get('first')),
      transport.request({ ...get('event'), priority: 'background' }),
      transport.request(get('status')),
      transport.request({ ...get('due'), priority: 'urgent' }),
    ];
    held.resolve();
    await Promise.all(all);
    expect(server.requests.map(({ name }) => name)).toEqual(['first', 'due', 'status', 'event']);
  });

  test('are ended by close, those of watches too', async () => {
    await using scene = await Scene.start();
    await scene.transport.request(list);
    const next = errorOf((await scene.watch())());
    await scene.transport.close();
    expect(await next).toBeInstanceOf(Error);
    await scene.server.until((server) => server.openConnections === 0);
  });
});

test('requests and watches go through a proxy, on connections that are kept', async () => {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const end of [onward, socket]) end.on('error', () => {});
    onward.pipe(socket).pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;

  await using scene = await Scene.startTls({ maxInFlight: 1 });
  scene.credentials.useProxy(new URL(`http://me:pw@127.0.0.1:${port}`));
  for (let i = 0; i < 3; i++) expect(await scene.transport.request(list)).toMatchObject({ items: [] });
  const next = await scene.watch();
  scene.server.put(jobs, job('a'));
  expect(await next()).toBe('a');
  const through = `${scene.server.url.host} Basic ${Buffer.from('me:pw').toString('base64')}`;
  expect(asked).toEqual([through, through]);
});

describe('streams', () => {
  test('give every event when it comes, and end when aborted', async () => {
    await using scene = await Scene.start();
    const stop = new AbortController();
    const next = await scene.watch(stop.signal);
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
    const last = errorOf(next());
    stop.abort(new Error('enough'));
    expect(String(await last)).toContain('enough');
    await scene.server.until((server) => server.openWatches === 0);
  });

  test('end when the server closes them, and throw when the socket is reset', async () => {
    await using scene = await Scene.start();
    const closed = await scene.watch();
    scene.server.breakWatches({ kind: 'close' });
    expect(await closed()).toBeUndefined();
    const reset = await scene.watch();
    scene.server.breakWatches({ kind: 'reset' });
    expect(await errorOf(reset())).toBeInstanceOf(Error);
  });

  test('that are dropped by their reader close their connection', async () => {
    await using scene = await Scene.start();
    scene.server.put(jobs, job('a'));
    for await (const _ of await scene.transport.stream({ ...list, query: { watch: true } })) break;
    await scene.server.until((server) => server.openWatches === 0);
  });
});

describe('credentials', () => {
  test('are refreshed once when the server answers 401, and the request is sent again', async () => {
    await using scene = await Scene.start();
    const { transport, server, credentials } = scene;
    server.bearerToken = 'new';
    credentials.useToken('old');
    credentials.renewed = 'new';
    expect(await transport.request(list)).toMatchObject({ items: [] });
    expect([credentials.refreshes, server.count()]).toEqual([1, 2]);
    server.bearerToken = 'newer';
    expect(await errorOf(transport.request(list))).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect([credentials.refreshes, server.count()]).toEqual([2, 4]);
  });

  test('are refreshed for watches, too', async () => {
    await using scene = await Scene.start();
    scene.server.bearerToken = 'new';
    scene.credentials.renewed = 'new';
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
  });

  test('are refreshed once for many requests that are refused together', async () => {
    await using scene = await Scene.start({ maxInFlight: 16 });
    const { transport, server, credentials } = scene;
    server.bearerToken = 'new';
    credentials.renewed = 'new';
    const request = (index: number) => ({ ...list, namespace: `team-${index}`, priority: 'urgent' }) as const;
    const held = Promise.withResolvers<void>();
    for (let i = 0; i < 16; i++) server.fail({}, { kind: 'hold', until: held.promise });
    const all = Array.from({ length: 16 }, (_, index) => transport.request(request(index)));
    await server.until(() => server.count() === 16);
    held.resolve();
    await Promise.all(all);
    expect(credentials.refreshes).toBe(1);
  });

  test('that are only headers change without a new connection', async () => {
    await using scene = await Scene.start({ maxInFlight: 1 });
    const { transport, server, credentials } = scene;
    await transport.request(list);
    credentials.useToken('other');
    await transport.request(list);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer other']);
    expect(server.connectionsAccepted).toBe(1);
  });

  test('with another CA or client certificate get new connections, and the old ones go when they are done', async () => {
    await using scene = await Scene.startTls({ maxInFlight: 1 });
    const { transport, server, credentials } = scene;
    const { ca } = (await credentials.current()).tls;
    const next = await scene.watch();
    await transport.request(list);
    expect(server.connectionsAccepted).toBe(2);
    const { cert, key } = selfSignedCertificate('client');
    credentials.useTls({ ca: ca!, cert, key });
    await transport.request(list);
    expect(server.connectionsAccepted).toBe(3);
    await server.until(() => server.openConnections === 2);
    server.put(jobs, job('a'));
    expect(await next(), 'a watch that was open goes on').toBe('a');
    credentials.useTls({ ca: selfSignedCertificate('stranger').cert });
    expect(apiErrorOf(await errorOf(transport.request(list)))).toBeUndefined();
    credentials.useTls({ ca: ca! });
    expect(await transport.request(list)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  });
});

test('every answer is reported to the metrics, and requests without one too', async () => {
  const reported: string[] = [];
  const metrics = { responded: (...what: string[]) => void reported.push(what.join(' ')) };
  await using scene = await Scene.start({ metrics });
  const { transport, server } = scene;
  const { host } = server.url;
  await transport.request(list);
  await errorOf(transport.request(get('a')));
  server.fail({}, { kind: 'drop' });
  await errorOf(transport.request(list));
  await scene.watch();
  expect(reported).toEqual([`GET ${host} 200`, `GET ${host} 404`, `GET ${host} <error>`, `GET ${host} 200`]);
});
