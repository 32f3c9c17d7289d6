/** The interpreter in which tests run the scripts for Argo CD: its own, with the same libraries. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../control-plane/cache-folder.ts';
import { isExecutable } from '../control-plane/given-assets.ts';
import { Progress } from '../control-plane/progress.ts';
import { thisPlatform } from '../control-plane/versions.ts';

const SOURCES = join(import.meta.dirname, '../control-plane/go/argo-lua');

/** Path of the one in the cache folder, which is built when it is not there: seconds, once for all clones. Needs Go. */
export async function provisionArgoLua(): Promise<string> {
  const { env } = process;
  const platform = thisPlatform();
  const hash = createHash('sha256');
  for (const file of globSync('*', { cwd: SOURCES }).sort()) hash.update(readFileSync(join(SOURCES, file)));
  const folder = join(cacheFolder(env, platform), `argo-lua-${hash.digest('hex').slice(0, 12)}`);
  const path = join(folder, 'argo-lua');
  if (!isExecutable(path)) {
    const { install } = await import('../control-plane/install.ts'); // only now: mostly it is there
    await install(['argo-lua'], { folder, env, platform, progress: new Progress() });
  }
  return path;
}
