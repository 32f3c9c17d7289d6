/** The actionlint that checks the workflows. */
import { join } from 'node:path';
import { cacheFolder } from '../control-plane/cache-folder.ts';
import { isExecutable } from '../control-plane/given-assets.ts';
import { findToolchain } from '../control-plane/go-build.ts';
import { Progress } from '../control-plane/progress.ts';
import { ACTIONLINT_VERSION, type Platform, thisPlatform } from '../control-plane/versions.ts';

export interface ProvisionActionlintOptions {
  /** Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: Platform;
  readonly progress?: Progress;
}

export type Provisioned =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The one that `ACTIONLINT` names, else that of the cache folder, which is downloaded or built when it is not there. Where there is
 * no Go, nothing is tried: a check of the sources should need no network.
 */
export async function provisionActionlint({
  env = process.env,
  platform = thisPlatform(),
  progress = new Progress(),
}: ProvisionActionlintOptions = {}): Promise<Provisioned> {
  const given = env['ACTIONLINT'];
  if (given && !isExecutable(given)) throw new Error(`ACTIONLINT=${given}: no executable file there`);
  if (given) return { kind: 'ready', path: given };
  const folder = join(cacheFolder(env, platform), `actionlint-${ACTIONLINT_VERSION}`);
  const path = join(folder, 'actionlint');
  if (isExecutable(path)) return { kind: 'ready', path };
  const toolchain = await findToolchain(env, platform);
  if (toolchain.kind === 'unusable') return { kind: 'missing', reason: `no actionlint here: ${toolchain.message}` };
  const { install } = await import('../control-plane/install.ts'); // only now: mostly it is there
  try {
    await install(['actionlint'], { folder, env, platform, progress });
    return { kind: 'ready', path };
  } catch {
    return { kind: 'missing', reason: `actionlint ${ACTIONLINT_VERSION} could be neither downloaded nor built` };
  }
}
