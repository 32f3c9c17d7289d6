import { beforeEach, expect, test, vi } from 'vitest';
import { startTestEnvironment } from './test-environment.ts';

beforeEach(() => {
  for (const name of ['KUBEBUILDER_ASSETS', 'USE_EXISTING_CLUSTER', 'KUBECONFIG']) vi.stubEnv(name, undefined);
});

const NEITHER =
  /^no API server to test with: set KUBEBUILDER_ASSETS to .*, or USE_EXISTING_CLUSTER=true and KUBECONFIG/;

test('says in one sentence what to set when there is no API server to test with', async () => {
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
});

test('takes no cluster that it was not told to take, and none without a kubeconfig', async () => {
  vi.stubEnv('KUBECONFIG', '/home/jane/.kube/config');
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
  vi.stubEnv('USE_EXISTING_CLUSTER', 'true').stubEnv('KUBECONFIG', undefined);
  await expect(startTestEnvironment()).rejects.toThrow(NEITHER);
});

test('says what a folder of binaries lacks', async () => {
  vi.stubEnv('KUBEBUILDER_ASSETS', import.meta.dirname);
  await expect(startTestEnvironment()).rejects.toThrow('there is no etcd and no kube-apiserver in /');
});
