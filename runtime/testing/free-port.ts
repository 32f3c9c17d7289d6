import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range from which the ports are. Operating systems use higher ports for connections and for servers that listen on port 0, so
 * another process does not take a port between the call of {@link findFreePort} and its use. Kubernetes uses 30,000 and
 * above for NodePorts.
 */
const [FIRST_PORT, END_PORT] = [10_000, 30_000] as const;

/** Returns a random port of 127.0.0.1 on which no process listens, for example for the webhooks of a test. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(FIRST_PORT, END_PORT);
  return (await canListen(port)) ? port : await findFreePort();
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
