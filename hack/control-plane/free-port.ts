import getPort from 'get-port';

/** Returns a port of 127.0.0.1 on which no process listens, and which the function has not returned shortly before. */
export function findFreePort(): Promise<number> {
  return getPort({ host: '127.0.0.1' });
}
