import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { SystemClock } from '../clock/system-clock.ts';
import { discardLogger } from '../log/logger.ts';
import { HttpServer, sendText } from './http-server.ts';

const clock = new SystemClock();
const address = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;

/** A server that answers before it reads, and a client that has had its answer and never ends its request. */
async function answered(options: { readonly requestTimeoutMs: number; readonly stopTimeoutMs: number }) {
  const server = new HttpServer({
    ...{ name: 'test', address, clock, log: discardLogger, ...options },
    handler: (_, response) => sendText(response, 413, 'too large'),
  });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  const { port } = await server.listening;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nabc');
  const [head] = await once(socket, 'data');
  expect(String(head)).toContain('HTTP/1.1 413 ');
  const stop = () => {
    stopping.abort();
    return stopped;
  };
  return { socket, stop, [Symbol.asyncDispose]: stop };
}

test('a request that never ends is closed when a request may take no longer', async () => {
  await using client = await answered({ requestTimeoutMs: 1, stopTimeoutMs: 60_000 });
  await once(client.socket.resume(), 'close');
});

test('a request that never ends does not hold up the stop', async () => {
  const client = await answered({ requestTimeoutMs: 60_000, stopTimeoutMs: 1 });
  await Promise.all([client.stop(), once(client.socket.resume(), 'close')]);
});
