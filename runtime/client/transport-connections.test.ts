import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { job, jobs } from '../test-support/objects.ts';
import { catchRejection, createGetRequest, LIST_REQUEST, TransportHarness } from '../test-support/transport-harness.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { createCertificate, createSigningKey, exportPrivateKey } from '../tls/certificate.ts';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import { findApiError } from './errors.ts';
import { HttpTransport } from './transport.ts';

describe('connections', () => {
  test('for 200 calls do not exceed the pool', async () => {
    let connected = 0;
    const count = () => void connected++;
    subscribe('undici:client:connected', count);
    await using scene = await TransportHarness.startTls({ maxInFlight: 8 });
    const { transport, server } = scene;
    server.put(jobs, job('a'));
    await Promise.all(Array.from({ length: 100 }, () => transport.request(createGetRequest('a'))));
    for (let i = 0; i < 10; i++)
      await Promise.all(Array.from({ length: 10 }, () => transport.request(createGetRequest('a'))));
    unsubscribe('undici:client:connected', count);
    expect(server.count()).toBe(200);
    expect(server.connectionsAccepted).toBeLessThanOrEqual(8);
    expect(connected).toBe(server.connectionsAccepted);
  });

  test('stay open after a DELETE with a body', async () => {
    await using scene = await TransportHarness.startTls({ maxInFlight: 1 });
    const { transport, server } = scene;
    for (const name of ['a', 'b', 'c']) {
      server.put(jobs, job(name));
      await transport.request({
        ...createGetRequest(name),
        method: 'DELETE',
        body: { propagationPolicy: 'Background' },
      });
    }
    expect(server.count()).toBe(3);
    expect(server.connectionsAccepted).toBe(1);
  });

  test('use HTTP/1.1, also with a server that prefers HTTP/2', async () => {
    await using scene = await TransportHarness.startTls();
    expect(await scene.transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
  });

  test('trust each certificate in the CA, also one that another CA has signed, as in Go', async () => {
    const { authority, ...keyPair } = await createIssuedKeyPair(['localhost'], new Date());
    await using server = await FakeApiServer.start({ tls: keyPair });
    for (const ca of [authority, keyPair.cert]) {
      const tls = { ca, servername: 'localhost' };
      const credentials = { current: () => ({ server: server.url, tls, headers: {} }), refresh: () => {} };
      const transport = new HttpTransport({ credentials, clock: new FakeClock(), userAgent: 'tester' });
      expect(await transport.request(LIST_REQUEST).finally(() => transport.close())).toMatchObject({ items: [] });
    }
  });

  test('refuse a certificate that has the name of the server only as its common name, as in Go', async () => {
    const key = await createSigningKey();
    const cert = createCertificate({
      subject: { kind: 'server', commonName: 'localhost', hosts: ['127.0.0.1'] },
      publicKey: key.publicKey,
      issuer: { ...key, commonName: 'localhost' },
      notBefore: new Date('2020-01-01'),
      notAfter: new Date('2049-12-31'),
    });
    await using server = await FakeApiServer.start({ tls: { cert, key: exportPrivateKey(key) } });
    const connect = (servername: string) => {
      const tls = { ca: cert, servername };
      const credentials = { current: () => ({ server: server.url, tls, headers: {} }), refresh() {} };
      const transport = new HttpTransport({ credentials, clock: new FakeClock(), userAgent: 'tester' });
      return transport.request(LIST_REQUEST).finally(() => transport.close());
    };
    expect(await connect('127.0.0.1')).toMatchObject({ items: [] });
    await expect(connect('localhost')).rejects.toThrow('Cert does not contain a DNS name');
  });

  test('accept long headers, for example with many warnings', async () => {
    const warnings = Array.from(
      { length: 200 },
      (_, index) => `299 - "spec.field${index} is ${'deprecated'.repeat(20)}"`,
    );
    const server = createServer((_, response) =>
      response
        .setHeader('Warning', warnings)
        .end('{"kind":"JobList","apiVersion":"batch/v1","metadata":{},"items":[]}'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const credentials = {
      current: () => ({ server: new URL(`http://127.0.0.1:${port}`), tls: {}, headers: {} }),
      refresh() {},
    };
    const transport = new HttpTransport({ credentials, clock: new FakeClock(), userAgent: 'tester' });
    const response = transport.request(LIST_REQUEST).finally(() => [transport.close(), server.close()]);
    expect(await response).toMatchObject({ items: [] });
  });

  test('of watches do not count against the limit of requests', async () => {
    await using scene = await TransportHarness.start({ maxInFlight: 1 });
    const watches = await Promise.all([scene.watch(), scene.watch(), scene.watch()]);
    expect(await scene.transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
    scene.server.put(jobs, job('a'));
    expect(await Promise.all(watches.map((next) => next()))).toEqual(['a', 'a', 'a']);
  });

  test('are given to urgent requests first', async () => {
    await using scene = await TransportHarness.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const all = [
      transport.request(createGetRequest('first')),
      transport.request({ ...createGetRequest('event'), priority: 'background' }),
      transport.request({ ...createGetRequest('due'), priority: 'urgent' }),
    ].map(catchRejection); // these objects do not exist
    held.resolve();
    await Promise.all(all);
    expect(server.requests.map(({ name }) => name)).toEqual(['first', 'due', 'event']);
  });

  test('end at close, including watches', async () => {
    await using scene = await TransportHarness.start();
    await scene.transport.request(LIST_REQUEST);
    const next = catchRejection((await scene.watch())());
    await scene.transport.close();
    expect(await next).toBeInstanceOf(Error);
    await scene.server.until((server) => server.openConnections === 0);
  });
});

describe('streams', () => {
  test('return every event when it arrives, and end when aborted', async () => {
    await using scene = await TransportHarness.start();
    const stop = new AbortController();
    const next = await scene.watch(stop.signal);
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
    const last = catchRejection(next());
    stop.abort(new Error('enough'));
    expect(String(await last)).toContain('enough');
    await scene.server.until((server) => server.openWatches === 0);
  });

  test('end when the server closes them, and throw when the socket is reset', async () => {
    await using scene = await TransportHarness.start();
    const closed = await scene.watch();
    scene.server.breakWatches({ kind: 'close' });
    expect(await closed()).toBeUndefined();
    const reset = await scene.watch();
    scene.server.breakWatches({ kind: 'reset' });
    expect(await catchRejection(reset())).toBeInstanceOf(Error);
  });

  test('close their connection when the reader stops', async () => {
    await using scene = await TransportHarness.start();
    scene.server.put(jobs, job('a'));
    for await (const _ of await scene.transport.stream({ ...LIST_REQUEST, query: { watch: true } })) break;
    await scene.server.until((server) => server.openWatches === 0);
  });
});

describe('credentials', () => {
  test('are refreshed once when the server answers 401, and the request is sent again', async () => {
    await using scene = await TransportHarness.start();
    const { transport, server, credentials } = scene;
    server.bearerToken = 'new';
    credentials.useToken('old');
    credentials.refreshedToken = 'new';
    expect(await transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
    expect([credentials.refreshes, server.count()]).toEqual([1, 2]);
    server.bearerToken = 'newer';
    expect(await catchRejection(transport.request(LIST_REQUEST))).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect([credentials.refreshes, server.count()]).toEqual([2, 4]);
  });

  test('are refreshed for watches too', async () => {
    await using scene = await TransportHarness.start();
    scene.server.bearerToken = 'new';
    scene.credentials.refreshedToken = 'new';
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
  });

  test('are refreshed once for many requests that are rejected together', async () => {
    await using scene = await TransportHarness.start({ maxInFlight: 16 });
    const { transport, server, credentials } = scene;
    server.bearerToken = 'new';
    credentials.refreshedToken = 'new';
    const request = (index: number) => ({ ...LIST_REQUEST, namespace: `team-${index}`, priority: 'urgent' }) as const;
    const held = Promise.withResolvers<void>();
    for (let i = 0; i < 16; i++) server.fail({}, { kind: 'hold', until: held.promise });
    const all = Array.from({ length: 16 }, (_, index) => transport.request(request(index)));
    await server.until(() => server.count() === 16);
    held.resolve();
    await Promise.all(all);
    expect(credentials.refreshes).toBe(1);
  });

  test('change without a new connection when only headers differ', async () => {
    await using scene = await TransportHarness.start({ maxInFlight: 1 });
    const { transport, server, credentials } = scene;
    await transport.request(LIST_REQUEST);
    credentials.useToken('other');
    await transport.request(LIST_REQUEST);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer other']);
    expect(server.connectionsAccepted).toBe(1);
  });

  test('with another CA or client certificate open new connections, and close old ones when their requests are done', async () => {
    await using scene = await TransportHarness.startTls({ maxInFlight: 1 });
    const { transport, server, credentials } = scene;
    const { ca } = (await credentials.current()).tls;
    const next = await scene.watch();
    await transport.request(LIST_REQUEST);
    expect(server.connectionsAccepted).toBe(2);
    const { cert, key } = selfSignedCertificate('client');
    credentials.useTls({ ca: ca!, cert, key });
    await transport.request(LIST_REQUEST);
    expect(server.connectionsAccepted).toBe(3);
    await server.until(() => server.openConnections === 2);
    server.put(jobs, job('a'));
    expect(await next(), 'a watch that was open goes on').toBe('a');
    credentials.useTls({ ca: selfSignedCertificate('stranger').cert });
    expect(findApiError(await catchRejection(transport.request(LIST_REQUEST)))).toBeUndefined();
    credentials.useTls({ ca: ca! });
    expect(await transport.request(LIST_REQUEST)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  });
});
