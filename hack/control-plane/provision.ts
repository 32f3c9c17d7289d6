/**
 * Finds the control plane's binaries, or gets them: from the environment, the cache folder, the official releases, or a
 * Go build, in this order.
 *
 * Run by itself it prints the paths: `node hack/control-plane/provision.ts [binary…]`. When none is named it takes those of
 * the playground; a real node's take minutes more to build, and few need them.
 */
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { givenAssets, isExecutable } from './given-assets.ts';
import { Progress } from './progress.ts';
import {
  ALL_BINARIES,
  type Binary,
  type BinaryPaths,
  CLUSTER_BINARIES,
  type Platform,
  thisPlatform,
} from './versions.ts';

export interface ProvisionOptions {
  /** Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: Platform;
  readonly progress?: Progress;
}

/** Paths of the wanted binaries. Takes milliseconds when they are there, and says what it does when they are not. */
export async function provision<B extends Binary>(
  wanted: readonly B[],
  { env = process.env, platform = thisPlatform(), progress = new Progress() }: ProvisionOptions = {},
): Promise<BinaryPaths<B>> {
  const given = givenAssets(wanted, env);
  if (given.note !== undefined) progress.note(given.note);

  const folder = cacheFolder(env, platform);
  const missing = given.remaining.filter((binary) => !isExecutable(join(folder, binary)));
  if (missing.length > 0) {
    const { install } = await import('./install.ts'); // only now: a warm start need not load it
    await install(missing, { folder, env, platform, progress });
  }
  const paths = wanted.map((binary) => [binary, given.paths.get(binary) ?? join(folder, binary)]);
  return Object.fromEntries(paths); // one entry for each wanted binary
}

if (import.meta.main) {
  try {
    const named = process.argv.slice(2);
    const unknown = named.filter((name) => !ALL_BINARIES.some((binary) => binary === name));
    if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${ALL_BINARIES.join(', ')}`);
    const wanted = named.length === 0 ? CLUSTER_BINARIES : ALL_BINARIES.filter((binary) => named.includes(binary));
    for (const path of Object.values(await provision(wanted))) console.log(path);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
