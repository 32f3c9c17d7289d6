/** Set-up of the project `clients`: an API server with our CRD, Argo CD's Lua, krew, and kubectl tcj as in a release. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { createArchive } from '../../../hack/plugin/archive.ts';
import { buildExecutable } from '../../../hack/plugin/executable.ts';
import { provideApiServer } from '../../cluster/provide-api-server.ts';
import { NODE_VERSIONS, provisionNode } from './provision-node.ts';
import './provided.ts';

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
  project.provide('archive', await createArchive(executable, 0));
  const stop = await provideApiServer(project);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
