/** A fresh etcd and kube-apiserver for one run, with our CRD, on a tmpfs when there is one. */
import { statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RunningApiServer, startApiServer } from '../../cluster/api-server.ts';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';

const CRD_FOLDER = fileURLToPath(new URL('../../../config/crd/bases', import.meta.url));
const SHARED_MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x01_02_19_94;
/** 10,000 CronJobs with their Jobs and events take less than half of this. */
const MIN_FREE_BYTES = 2 ** 30;

export type BenchControlPlane = Pick<ClusterClient, 'client' | 'transport'> &
  Pick<RunningApiServer, 'kubeconfig'> &
  AsyncDisposable;

export async function startControlPlane(): Promise<BenchControlPlane> {
  if (hasTmpfsSpace(SHARED_MEMORY)) process.env['TMPDIR'] = SHARED_MEMORY; // envtest-js stores the data of etcd here
  const { kubeconfig, stop } = await startApiServer([CRD_FOLDER]);
  const { client, transport, ...cluster } = connect(kubeconfig);
  return {
    client,
    transport,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await stop();
    },
  };
}

function hasTmpfsSpace(folder: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === TMPFS_MAGIC && bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
