import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';

test('a server can listen on a free port, which systems use for no connection', async () => {
  const port = await findFreePort();
  expect(port).toBeLessThan(30_000);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(server.address()).toMatchObject({ port });
  server.close();
  await once(server, 'close');
});
