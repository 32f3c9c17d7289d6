import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('a hundred askers get a hundred ports, and may listen on them', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort));
  expect(new Set(ports).size).toBe(100);
  await using server = createServer().listen(ports[0], '127.0.0.1');
  await once(server, 'listening');
});
