import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpTransport, SystemClock } from 'controller-runtime';
import { expect, test } from 'vitest';
import { formatError } from './error-message.ts';
import { isTemporary } from './reconnecting-cluster-session.ts';

/** undici reports a chunk without its length with an error that has no code. */
test('a stream that is not HTTP any more is a lost connection', async () => {
  const server = createServer((_, response) => {
    response.flushHeaders();
    response.socket?.end('zz\r\nnot a chunk');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP port
  const credentials = {
    current: () => ({ server: new URL(`http://127.0.0.1:${port}`), tls: {}, headers: {} }),
    refresh() {},
  };
  const transport = new HttpTransport({ userAgent: 'test', clock: new SystemClock(), credentials });
  const stream = await transport.stream({ method: 'GET', path: '/api/v1/namespaces/a/pods/b/log', accept: '*/*' });
  const error = await Array.fromAsync(stream).catch((failure: unknown) => failure);
  expect(formatError(error)).toBe(
    'cannot reach the API server (HTTPParserError); check the network and the kubeconfig',
  );
  expect(isTemporary(error)).toBe(true);
  await transport.close();
  server.close();
});
