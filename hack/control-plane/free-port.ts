import getPort from 'get-port';

/** A port of 127.0.0.1 on which no process listens now. Does not return a port that this process gave to another caller a moment ago. */
export function findFreePort(): Promise<number> {
  return getPort({ host: '127.0.0.1' });
}
