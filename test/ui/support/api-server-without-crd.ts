/** An API server without our CRD, for the tests of one file. */
import { afterAll, beforeAll } from 'vitest';
import { type RunningApiServer, startApiServer } from '../../cluster/api-server.ts';

/** @returns what gives it, within tests. */
export function apiServerWithoutCrd(): () => RunningApiServer {
  let server: RunningApiServer | undefined;
  beforeAll(async () => {
    server = await startApiServer();
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error('the API server has not started');
    return server;
  };
}
