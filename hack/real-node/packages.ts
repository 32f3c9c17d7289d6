/** The programs of a node that no Kubernetes release holds, from Debian's packages. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../control-plane/given-assets.ts';
import type { Progress } from '../control-plane/progress.ts';
import { run } from '../control-plane/run.ts';

/** What each package is needed for. Debian's containerd brings runc. */
const PACKAGES: Readonly<Record<string, { readonly programs: readonly string[] }>> = {
  containerd: { programs: ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'] },
  'containernetworking-plugins': { programs: [] }, // not on the PATH: networkPluginFolder() finds them
  nftables: { programs: ['nft'] }, // kube-proxy's rules
  'busybox-static': { programs: ['busybox'] }, // the image that holds Pods open
  iproute2: { programs: ['ip'] },
  'util-linux': { programs: ['unshare', 'nsenter'] },
};
/** Where Debian puts the network plugins, and where their own releases go. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];
const PLUGINS = ['bridge', 'host-local', 'loopback'];

/** Folder of the CNI plugins; `undefined` when there is none that has them all. */
export function networkPluginFolder(folders: readonly string[] = PLUGIN_FOLDERS): string | undefined {
  return folders.find((folder) => PLUGINS.every((plugin) => isExecutable(join(folder, plugin))));
}

/** Names of the packages that must be installed before a node can start. */
export function missingPackages(
  searchPath: string,
  pluginFolders: readonly string[] = PLUGIN_FOLDERS,
): readonly string[] {
  return Object.entries(PACKAGES)
    .filter(([name, { programs }]) =>
      name === 'containernetworking-plugins'
        ? networkPluginFolder(pluginFolders) === undefined
        : !programs.every((program) => isOnPath(program, searchPath)),
    )
    .map(([name]) => name);
}

function isOnPath(program: string, searchPath: string): boolean {
  return searchPath.split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

/** Installs what is missing. Needs root and apt-get; on a machine with a service manager containerd's service starts too. */
export async function installPackages(
  packages: readonly string[],
  progress: Progress,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (packages.length === 0) return;
  const step = progress.step(`installing ${packages.join(', ')} with apt-get`);
  const env = { ...environment, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    // Lists may be absent, as in a slim image, or so old that they name files that are gone.
    await run('apt-get', ['update', '--quiet'], { env });
    // Nothing of the user's may go for it, such as another vendor's containerd.
    const flags = ['--yes', '--no-remove', '--no-install-recommends', '--option=DPkg::Lock::Timeout=300'];
    await run('apt-get', ['install', ...flags, ...packages], { env });
  } catch (error) {
    step.failed('see below');
    throw error;
  }
  step.done();
}

/** Whether this machine has apt-get. */
export function hasAptGet(): boolean {
  return existsSync('/usr/bin/apt-get');
}
