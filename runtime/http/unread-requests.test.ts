import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { SystemClock } from '../clock/system-clock.ts';
import { serve } from '../test-support/http-scene.ts';
import { sendText } from './http-server.ts';

/** A server that answers before it reads, and a client that has had its answer and never ends its request. */
async function answered(options: { readonly requestTimeoutMs: number; readonly stopTimeoutMs: number }) {
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

test('a request that never ends is closed when a request may take no longer', async () => {
  const client = await answered({ requestTimeoutMs: 1, stopTimeoutMs: 60_000 });
  await once(client.socket.resume(), 'close');
});

test('a request that never ends does not hold up the stop', async () => {
  const client = await answered({ requestTimeoutMs: 60_000, stopTimeoutMs: 1 });
  await Promise.all([client.stop(), once(client.socket.resume(), 'close')]);
});
