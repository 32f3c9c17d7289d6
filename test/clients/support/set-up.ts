/** Set-up of the project `clients`: a release, an API server with our CRD, Argo CD's Lua, helm, krew and kubeconform. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { run } from '../../../hack/control-plane/run.ts';
import { detectPlatform } from '../../../hack/control-plane/versions.ts';
import { provideApiServer } from '../../cluster/provide-api-server.ts';
import { buildDryRun } from './dry-run.ts';
import { NODE_VERSIONS, provisionNode } from './provision-node.ts';
import { publishPackages } from './publish-packages.ts';
import { startReleaseServer } from './release-server.ts';
import './provided.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await provision(['argo-lua', 'helm', 'krew', 'kubeconform', 'validate-krew-manifest']);
  project.provide('argoLua', tools['argo-lua']);
  project.provide('helm', tools.helm);
  project.provide('krew', tools.krew);
  project.provide('kubeconform', tools.kubeconform);
  project.provide('krewValidator', tools['validate-krew-manifest']);
  const nodes = new Map<string, string>();
  for (const nodeVersion of NODE_VERSIONS) nodes.set(nodeVersion, await provisionNode(nodeVersion));
  project.provide('nodes', Object.fromEntries(nodes));
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  const release = join(folder, 'release');
  await buildDryRun(release);
  project.provide('release', release);
  const { os, arch } = detectPlatform();
  const archive = join(release, `kubectl-tcj-${os}-${arch}.tar.gz`);
  project.provide('archive', archive);
  await run('tar', ['-xzf', archive, 'kubectl-tcj'], { cwd: folder });
  project.provide('executable', join(folder, 'kubectl-tcj'));
  const server = await startReleaseServer(release);
  project.provide('releaseUrl', server.url);
  project.provide('registry', server.registry);
  await publishPackages(release, server.registry);
  const stop = await provideApiServer(project);
  return async () => {
    await stop();
    server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
