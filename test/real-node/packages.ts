/** The programs of a node that are not in a Kubernetes release, from Debian's packages. */
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../hack/control-plane/binaries-in-env.ts';

/** The programs that each package provides. Debian's containerd brings runc. */
const PACKAGES: Readonly<Record<string, { readonly programs: readonly string[] }>> = {
  containerd: { programs: ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'] },
  'containernetworking-plugins': { programs: [] }, // not on the PATH: networkPluginFolder() finds them
  nftables: { programs: ['nft'] }, // kube-proxy's rules
  'busybox-static': { programs: ['busybox'] }, // the image that holds Pods open
  iproute2: { programs: ['ip'] },
  'util-linux': { programs: ['unshare', 'nsenter'] },
};
/** Folder of the network plugins in Debian, and in their own releases. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];
const PLUGINS = ['bridge', 'host-local', 'loopback'];

/** Folder of the CNI plugins; `undefined` when no folder has them all. */
export function networkPluginFolder(): string | undefined {
  return PLUGIN_FOLDERS.find((folder) => PLUGINS.every((plugin) => isExecutable(join(folder, plugin))));
}

/** Names of the packages that must be installed before a node can start. */
export function missingPackages(searchPath: string): readonly string[] {
  return Object.entries(PACKAGES)
    .filter(([name, { programs }]) =>
      name === 'containernetworking-plugins'
        ? networkPluginFolder() === undefined
        : !programs.every((program) => isOnPath(program, searchPath)),
    )
    .map(([name]) => name);
}

function isOnPath(program: string, searchPath: string): boolean {
  return searchPath.split(delimiter).some((folder) => isExecutable(join(folder, program)));
}
