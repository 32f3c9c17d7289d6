/** Binaries that the user names through the environment, as controller-runtime's envtest reads it. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { type Binary, CLUSTER_BINARIES, NODE_BINARIES } from './versions.ts';

const TOOL_VARIABLES: Readonly<Partial<Record<Binary, string>>> = { helm: 'HELM', actionlint: 'ACTIONLINT' };
const CONTROL_PLANE_BINARIES: readonly Binary[] = [...CLUSTER_BINARIES, ...NODE_BINARIES];

/** Binaries that the environment names, and binaries to find elsewhere. */
export interface BinariesInEnv {
  readonly paths: ReadonlyMap<Binary, string>;
  readonly remaining: readonly Binary[];
  /** The reasons that binaries in the environment were not used. */
  readonly note?: string;
}

/**
 * `TEST_ASSET_ETCD`, `TEST_ASSET_KUBE_APISERVER` and `TEST_ASSET_KUBECTL` name single files and win; `HELM` and `ACTIONLINT` name tools.
 * `KUBEBUILDER_ASSETS` names a folder, and is used as a whole or not at all: Kubernetes does not support an API server of one version with
 * a controller manager of another.
 */
export function findBinariesInEnv(binaries: readonly Binary[], env: NodeJS.ProcessEnv): BinariesInEnv {
  const paths = new Map<Binary, string>();
  for (const binary of binaries) {
    const variable = TOOL_VARIABLES[binary] ?? `TEST_ASSET_${binary.toUpperCase().replaceAll('-', '_')}`;
    const file = env[variable];
    if (!file) continue;
    if (!isExecutable(file)) throw new Error(`${variable}=${file}: not an executable file`);
    paths.set(binary, file);
  }
  const remaining = binaries.filter((binary) => !paths.has(binary));
  const folder = env['KUBEBUILDER_ASSETS'];
  if (!folder || !remaining.some((binary) => CONTROL_PLANE_BINARIES.includes(binary))) return { paths, remaining };

  const missing = remaining.filter((binary) => !isExecutable(join(folder, binary)));
  if (missing.length > 0) {
    return { paths, remaining, note: `KUBEBUILDER_ASSETS=${folder} does not contain ${missing.join(', ')}: ignored` };
  }
  for (const binary of remaining) paths.set(binary, join(folder, binary));
  return { paths, remaining: [] };
}

/** Whether `file` exists and is executable. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
