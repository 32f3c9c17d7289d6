import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port of 127.0.0.1 on which no process listens, for the webhooks of a test. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // an AddressInfo, because the server listens on a port
  server.close();
  await once(server, 'close');
  return port;
}
