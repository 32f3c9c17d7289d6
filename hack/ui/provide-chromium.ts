/** Chromium: that of this machine, or Debian's package, which is installed where we may. */
import { delimiter, join } from 'node:path';
import { isExecutable } from '../control-plane/given-assets.ts';
import type { Progress } from '../control-plane/progress.ts';
import { run } from '../control-plane/run.ts';

/** As Debian, Google and Microsoft name theirs. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'] as const;

interface ProvideOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Default: whether this process is root's. */
  readonly mayInstall?: boolean;
}

/** Path of its program. Throws with what is missing, in a sentence. `CHROMIUM` in the environment names another one. */
export async function provideChromium({
  env,
  progress,
  mayInstall = process.getuid?.() === 0,
}: ProvideOptions): Promise<string> {
  const given = env['CHROMIUM'];
  if (given) {
    if (isExecutable(given)) return given;
    throw new Error(`CHROMIUM is ${given}, which is no program`);
  }
  const found = chromiumIn(env);
  if (found !== undefined) return found;
  const missing = `Chromium is missing. Install it: "apt-get install chromium", or name one: CHROMIUM=<path>`;
  if (!mayInstall) throw new Error(missing);
  const step = progress.step('installing the Debian package chromium');
  try {
    await install(env);
  } catch (error) {
    step.failed('see below');
    throw new Error(missing, { cause: error });
  }
  const installed = chromiumIn(env);
  if (installed === undefined) throw new Error(missing);
  step.done();
  return installed;
}

function chromiumIn({ PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const paths = PATH.split(delimiter).flatMap((folder) => PROGRAMS.map((program) => join(folder, program)));
  return paths.find(isExecutable);
}

async function install(env: NodeJS.ProcessEnv): Promise<void> {
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '--quiet'], { env: quiet });
  await run('apt-get', ['install', '--quiet', '--yes', '--no-install-recommends', 'chromium'], { env: quiet });
}
