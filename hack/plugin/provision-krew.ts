/** The krew that installs the plugin in tests. */
import { join } from 'node:path';
import { cacheFolder } from '../control-plane/cache-folder.ts';
import { isExecutable } from '../control-plane/given-assets.ts';
import { Progress } from '../control-plane/progress.ts';
import {
  type BinaryPaths,
  KREW_BINARIES,
  KREW_VERSION,
  type KrewBinary,
  thisPlatform,
} from '../control-plane/versions.ts';

/** Those of the cache folder, which are built when they are not there: half a minute, once for all clones. Needs Go. */
export async function provisionKrew(): Promise<BinaryPaths<KrewBinary>> {
  const { env } = process;
  const platform = thisPlatform();
  const folder = join(cacheFolder(env, platform), `krew-${KREW_VERSION}`);
  const missing = KREW_BINARIES.filter((binary) => !isExecutable(join(folder, binary)));
  if (missing.length > 0) {
    const { install } = await import('../control-plane/install.ts'); // only now: mostly they are there
    await install(missing, { folder, env, platform, progress: new Progress() });
  }
  const [krew, validator] = KREW_BINARIES;
  return { [krew]: join(folder, krew), [validator]: join(folder, validator) };
}
