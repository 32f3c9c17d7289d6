import { beforeEach, expect, test, vi } from 'vitest';
import { startTestEnvironment } from './test-environment.ts';

beforeEach(() => {
  for (const name of ['KUBEBUILDER_ASSETS', 'USE_EXISTING_CLUSTER', 'KUBECONFIG']) vi.stubEnv(name, undefined);
});

const NEITHER =
  /^no API server to test with: set KUBEBUILDER_ASSETS to .*, or USE_EXISTING_CLUSTER=true and KUBECONFIG/;

test('fails without an API server, with one sentence that names the variables', async () => {
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
});

test('uses no cluster without USE_EXISTING_CLUSTER and KUBECONFIG', async () => {
  vi.stubEnv('KUBECONFIG', '/home/jane/.kube/config');
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
  vi.stubEnv('USE_EXISTING_CLUSTER', 'true').stubEnv('KUBECONFIG', undefined);
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
});

test('reports the missing binaries of a folder', async () => {
  vi.stubEnv('KUBEBUILDER_ASSETS', import.meta.dirname);
  await expect(startTestEnvironment()).rejects.toThrow('has no etcd and no kube-apiserver');
});
