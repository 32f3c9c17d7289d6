/**
 * Provides the binaries of the control plane and of tools: from environment variables, the cache folder, official releases or a Go build,
 * in this order.
 *
 * The program `node hack/control-plane/provision.ts [binary…]` prints the paths. Default: the binaries of `make dev`.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinariesInEnv, isExecutable } from './binaries-in-env.ts';
import { getCacheFolder } from './cache-folder.ts';
import { Progress } from './progress.ts';
import { runScript } from './run-script.ts';
import {
  ACTIONLINT_VERSION,
  type Binary,
  type BinaryPaths,
  CLUSTER_BINARIES,
  detectPlatform,
  HELM_VERSION,
  KREW_VERSION,
  KUBECONFORM_VERSION,
  OLDEST_KUBERNETES_VERSION,
  type Platform,
} from './versions.ts';

export interface ProvisionOptions {
  /** Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: Platform;
  readonly progress?: Progress;
}

/** Returns the paths of the binaries. Installs missing binaries, and prints the progress. */
export async function provision<B extends Binary>(
  binaries: readonly B[],
  { env = process.env, platform = detectPlatform(), progress = new Progress() }: ProvisionOptions = {},
): Promise<BinaryPaths<B>> {
  const inEnv = findBinariesInEnv(binaries, env);
  if (inEnv.note !== undefined) progress.note(inEnv.note);
  const cache = getCacheFolder(env, platform);
  const cachedPaths = inEnv.missingInEnv.map((binary) => [binary, join(cache, getSubfolder(binary), binary)] as const);
  if (cachedPaths.some(([, path]) => !isExecutable(path))) {
    const { install } = await import('./install.ts'); // imported here, because no installation is needed if all binaries are cached
    await install({ paths: Object.fromEntries(cachedPaths), cache, env, platform, progress });
  }
  const paths = new Map<Binary, string>([...inEnv.paths, ...cachedPaths]);
  return Object.fromEntries(binaries.map((binary) => [binary, paths.get(binary)])) as BinaryPaths<B>; // one for each
}

/** Tools have separate folders in the cache, so a newer tool does not change the control plane. */
function getSubfolder(binary: Binary): string {
  switch (binary) {
    case 'helm':
      return `helm-${HELM_VERSION}`;
    case 'actionlint':
      return `actionlint-${ACTIONLINT_VERSION}`;
    case 'krew':
    case 'validate-krew-manifest':
      return `krew-${KREW_VERSION}`;
    case 'kubeconform':
      return `kubeconform-${KUBECONFORM_VERSION}`;
    case 'kube-apiserver-oldest':
      return `kubernetes-${OLDEST_KUBERNETES_VERSION}`;
    case 'argo-lua': {
      const sources = globSync(join(import.meta.dirname, 'go/argo-lua/*')).sort();
      const hash = createHash('sha256').update(sources.map((file) => readFileSync(file, 'utf8')).join(''));
      return `argo-lua-${hash.digest('hex').slice(0, 12)}`;
    }
    default:
      return '';
  }
}

if (import.meta.main) {
  await runScript(async () => {
    const requested = process.argv.slice(2) as Binary[]; // the build reports a binary that does not exist
    for (const path of Object.values(await provision(requested.length === 0 ? CLUSTER_BINARIES : requested)))
      console.log(path);
  });
}
