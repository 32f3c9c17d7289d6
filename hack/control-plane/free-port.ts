import getPort from 'get-port';

/** A port of 127.0.0.1 on which nobody listens now; not one that was given to somebody else here a moment ago. */
export function freePort(): Promise<number> {
  return getPort({ host: '127.0.0.1' });
}
