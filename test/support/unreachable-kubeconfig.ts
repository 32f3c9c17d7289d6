import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from './temporary-folder.ts';

/** A kubeconfig of a cluster that does not exist. */
export function createUnreachableKubeconfig(): string {
  const file = join(createTemporaryFolder(), 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { token: 'none' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
