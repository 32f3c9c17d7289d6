/** An API server for the tests of one file: for what shows all namespaces, or changes what all share. */
import { resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningApiServer, startApiServer } from '../../../hack/control-plane/api-server.ts';

export const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

/** @returns what gives it, within tests. */
export function ownApiServer(crdPaths: readonly string[] = [CRD_FOLDER]): () => RunningApiServer {
  let server: RunningApiServer | undefined;
  beforeAll(async () => {
    server = await startApiServer(crdPaths);
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error('the API server has not started');
    return server;
  };
}
