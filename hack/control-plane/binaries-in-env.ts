/** Finds binaries by environment variables, like envtest of Go's controller-runtime. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { type Binary, CLUSTER_BINARIES, NODE_BINARIES } from './versions.ts';

const TOOL_VARIABLES: Readonly<Partial<Record<Binary, string>>> = { helm: 'HELM', actionlint: 'ACTIONLINT' };
const CONTROL_PLANE_BINARIES: readonly Binary[] = [...CLUSTER_BINARIES, ...NODE_BINARIES];

export interface BinariesInEnv {
  readonly paths: ReadonlyMap<Binary, string>;
  readonly missingInEnv: readonly Binary[];
  /** The reason that the folder in `KUBEBUILDER_ASSETS` was ignored. */
  readonly note?: string;
}

/**
 * `TEST_ASSET_ETCD`, `TEST_ASSET_KUBE_APISERVER`, `TEST_ASSET_KUBECTL`, `HELM` and `ACTIONLINT` are paths of files, and override the folder
 * `KUBEBUILDER_ASSETS`. The folder is ignored if a binary is missing, because Kubernetes does not support an API server and a controller
 * manager of different versions.
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
  const missingInEnv = binaries.filter((binary) => !paths.has(binary));
  const folder = env['KUBEBUILDER_ASSETS'];
  if (!folder || !missingInEnv.some((binary) => CONTROL_PLANE_BINARIES.includes(binary)))
    return { paths, missingInEnv };

  const missing = missingInEnv.filter((binary) => !isExecutable(join(folder, binary)));
  if (missing.length > 0) {
    return {
      paths,
      missingInEnv,
      note: `KUBEBUILDER_ASSETS=${folder} does not contain ${missing.join(', ')}: ignored`,
    };
  }
  for (const binary of missingInEnv) paths.set(binary, join(folder, binary));
  return { paths, missingInEnv: [] };
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
