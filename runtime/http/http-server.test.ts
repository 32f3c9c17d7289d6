import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { SystemClock } from '../clock/system-clock.ts';
import { discardLogger } from '../log/logger.ts';
import { httpServer, serve } from '../test-support/http-harness.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { createSelfSignedKeyPair } from '../tls/self-signed-key-pair.ts';
import { type HttpHandler, sendText } from './http-server.ts';

test('serves until it is stopped, then refuses connections', async () => {
  const server = await serve();
  expect(await (await fetch(server.url)).text()).toBe('hello');
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow();
});

test('rejects with the address and a fix when the address is in use', async () => {
  const first = await serve();
  const address = { kind: 'listen', host: '127.0.0.1', port: first.port } as const;
  const second = httpServer({ name: 'metrics', address });
  await expect(second.start(new AbortController().signal)).rejects.toThrow(
    `listen on 127.0.0.1:${first.port} for metrics: another process listens there; stop it`,
  );
  await expect(second.listening).rejects.toThrow('listen on');
});

test.each([
  ['throws', () => Promise.reject(new Error('no luck'))],
  [
    'throws at once',
    () => {
      throw new Error('no luck');
    },
  ],
] satisfies [string, HttpHandler][])('answers 500 and logs when the handler %s', async (_, handler) => {
  const errors: unknown[] = [];
  const log = { ...discardLogger, error: (_: string, error: unknown) => void errors.push(error) };
  const { url } = await serve({ handler, log: { ...log, with: () => log } });
  expect((await fetch(url)).status).toBe(500);
  expect(errors).toEqual([new Error('no luck')]);
});

test.each([
  [undefined, '5'],
  [120_000, '120'],
])('keeps idle connections for the configured time: %s', async (keepAliveTimeoutMs, seconds) => {
  const { url } = await serve(keepAliveTimeoutMs === undefined ? {} : { keepAliveTimeoutMs });
  const { headers } = await fetch(url);
  expect(headers.get('keep-alive')).toBe(`timeout=${seconds}`);
});

describe('stop', () => {
  test('waits for running requests on kept-alive connections', async () => {
    const received = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const clock = new FakeClock();
    const server = await serve({
      clock,
      handler: async (_, response) => {
        received.resolve();
        await answer.promise;
        sendText(response, 200, 'late');
      },
    });
    const agent = new Agent({ keepAlive: true });
    const response = once(httpGet(server.url, { agent }), 'response') as Promise<[IncomingMessage]>;
    await received.promise;
    const stopped = server.stop();
    answer.resolve();
    const [message] = await response;
    expect(message.headers.connection).toBe('close');
    expect(Buffer.concat(await message.toArray()).toString()).toBe('late');
    await stopped;
    expect(clock.pendingTimers).toBe(0);
    agent.destroy();
  });

  test('cuts off requests after the timeout', async () => {
    const received = Promise.withResolvers<void>();
    const clock = new FakeClock();
    const server = await serve({ clock, handler: () => received.resolve() });
    const request = fetch(server.url);
    await received.promise;
    const stopped = server.stop();
    await Promise.all([clock.advance(5_000), expect(request).rejects.toThrow()]);
    await stopped;
  });

  test('closes connections that are idle', async () => {
    const server = await serve();
    const agent = new Agent({ keepAlive: true });
    const [message] = (await once(httpGet(server.url, { agent }), 'response')) as [IncomingMessage];
    message.resume();
    await once(message, 'end');
    await server.stop();
    agent.destroy();
  });

  test('waits for the shutdown delay: serves requests, but keeps no connections', async () => {
    const clock = new FakeClock();
    const server = await serve({ clock, shutdownDelayMs: 5_000 });
    const agent = new Agent({ keepAlive: true });
    const sendRequest = async () => {
      const [message] = (await once(httpGet(server.url, { agent }), 'response')) as [IncomingMessage];
      return [message.headers.connection, Buffer.concat(await message.toArray()).toString()];
    };
    expect(await sendRequest()).toEqual(['keep-alive', 'hello']);
    let isStopped = false;
    const stopped = server.stop().then(() => {
      isStopped = true;
    });
    expect(await sendRequest()).toEqual(['close', 'hello']); // on the kept connection
    expect(await sendRequest()).toEqual(['close', 'hello']); // on a new connection
    await clock.advance(4_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    await stopped;
    await expect(sendRequest()).rejects.toThrow('ECONNREFUSED');
    expect(clock.pendingTimers).toBe(0);
    agent.destroy();
  });
});

describe('with a key pair', () => {
  test('serves HTTPS to a client that trusts the certificate', async () => {
    const pair = await createSelfSignedKeyPair(['localhost'], new SystemClock().now());
    const server = await serve({ keyPair: { load: async () => pair } });
    const options = { ca: pair.cert, servername: 'localhost', agent: false } as const;
    const [message] = (await once(httpsGet(`https://127.0.0.1:${server.port}/`, options), 'response')) as [
      IncomingMessage,
    ];
    expect(Buffer.concat(await message.toArray()).toString()).toBe('hello');
  });

  test('presents the new certificate to new connections after a change', async () => {
    const now = new SystemClock().now();
    const [before, after] = await Promise.all([
      createSelfSignedKeyPair(['before'], now),
      createSelfSignedKeyPair(['after'], now),
    ]);
    let change: (pair: KeyPair) => void = () => {};
    const keyPair: KeyPairSource = {
      load: async () => before,
      watch: async (_, onChange) => {
        change = onChange;
      },
    };
    const server = await serve({ keyPair });
    const readCertificateName = async () => {
      const request = httpsGet(`https://127.0.0.1:${server.port}/`, { agent: false, rejectUnauthorized: false });
      const [message] = (await once(request, 'response')) as [IncomingMessage];
      const name = (message.socket as TLSSocket).getPeerCertificate().subject.CN;
      message.resume();
      await once(message, 'end');
      return name;
    };
    expect(await readCertificateName()).toBe('before');
    change(after);
    expect(await readCertificateName()).toBe('after');
  });

  test('does not start without a certificate', async () => {
    const keyPair: KeyPairSource = { load: () => Promise.reject(new Error('read tls.crt')) };
    const server = httpServer({ name: 'metrics', keyPair });
    await expect(server.start(new AbortController().signal)).rejects.toThrow('for metrics');
  });
});

/**
 * Starts a server that responds before it reads the request, and a client that receives the response but never
 * completes its request.
 */
async function startUnfinishedRequest(options: { readonly requestTimeoutMs: number; readonly stopTimeoutMs: number }) {
  const clock = new SystemClock();
  const { port, stop } = await serve({
    clock,
    handler: (_, response) => sendText(response, 413, 'too large'),
    ...options,
  });
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nabc');
  const [head] = await once(socket, 'data');
  expect(String(head)).toContain('HTTP/1.1 413 ');
  return { socket, stop };
}

test('closes a request that never ends after the request timeout', async () => {
  const client = await startUnfinishedRequest({ requestTimeoutMs: 1, stopTimeoutMs: 60_000 });
  await once(client.socket.resume(), 'close');
});

test('a request that never ends does not delay the stop', async () => {
  const client = await startUnfinishedRequest({ requestTimeoutMs: 60_000, stopTimeoutMs: 1 });
  await Promise.all([client.stop(), once(client.socket.resume(), 'close')]);
});
