/** The helm that lints, packs and renders the chart here. Users bring their own. */
import { join } from 'node:path';
import { cacheFolder } from '../control-plane/cache-folder.ts';
import { isExecutable } from '../control-plane/given-assets.ts';
import { Progress } from '../control-plane/progress.ts';
import { HELM_VERSION, type Platform, thisPlatform } from '../control-plane/versions.ts';

export interface ProvisionHelmOptions {
  /** Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: Platform;
  readonly progress?: Progress;
}

/**
 * Path of a helm: the one that `HELM` names, else that of the cache folder, which is downloaded or built when it is not
 * there. A build takes some minutes, once for all clones.
 */
export async function provisionHelm({
  env = process.env,
  platform = thisPlatform(),
  progress = new Progress(),
}: ProvisionHelmOptions = {}): Promise<string> {
  const given = env['HELM'];
  if (given && !isExecutable(given)) throw new Error(`HELM=${given}: no executable file there`);
  if (given) return given;
  const folder = join(cacheFolder(env, platform), `helm-${HELM_VERSION}`); // a newer helm leaves the control plane as it is
  const helm = join(folder, 'helm');
  if (!isExecutable(helm)) {
    const { install } = await import('../control-plane/install.ts'); // only now: mostly it is there
    await install(['helm'], { folder, env, platform, progress });
  }
  return helm;
}
