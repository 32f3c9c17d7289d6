/**
 * Builds the oldest kube-apiserver that is supported, when the cache folder has none, and prints its path: `make test-oldest`.
 * It is built from its Go module always: releases for tests are looked for in the newest version only.
 */
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { isExecutable } from './given-assets.ts';
import { Progress } from './progress.ts';
import { OLDEST_KUBERNETES_VERSION, thisPlatform } from './versions.ts';

const BINARY = 'kube-apiserver-oldest';

try {
  const { env } = process;
  const platform = thisPlatform();
  // A newer one does not touch the rest of the control plane.
  const folder = join(cacheFolder(env, platform), `kubernetes-${OLDEST_KUBERNETES_VERSION}`);
  if (!isExecutable(join(folder, BINARY))) {
    const { install } = await import('./install.ts'); // only now: mostly it is there
    await install([BINARY], { folder, env, platform, progress: new Progress() });
  }
  console.log(join(folder, BINARY));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
