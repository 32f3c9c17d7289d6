/** Prometheus and promtool: those of this machine, or those of Debian's package, unpacked into the cache folder. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { isExecutable } from '../control-plane/given-assets.ts';
import type { Progress } from '../control-plane/progress.ts';
import { run } from '../control-plane/run.ts';

const PROGRAMS = ['prometheus', 'promtool'] as const;

export interface ProvideOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
}

/** The folder that has both. Throws with what is missing, in a sentence. */
export async function providePrometheus({ env, progress }: ProvideOptions): Promise<string> {
  const cache = resolve(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cronjob-operator', 'prometheus');
  const found = [...(env['PATH'] ?? '').split(delimiter), cache].find(hasPrograms);
  if (found !== undefined) return found;
  const step = progress.step('unpacking the Debian package prometheus');
  try {
    await unpackPackage(cache, env);
  } catch (error) {
    step.failed('see below');
    const advice = 'Install them: "apt-get install prometheus", or https://prometheus.io/download/';
    throw new Error(`prometheus and promtool are missing. ${advice}`, { cause: error });
  }
  step.done();
  return cache;
}

function hasPrograms(folder: string): boolean {
  return PROGRAMS.every((program) => isExecutable(join(folder, program)));
}

/** Not installed: that would add a user, and start a Prometheus on a machine with a service manager. */
async function unpackPackage(cache: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'partial-'));
  try {
    // Lists may be absent, as in a slim image, or so old that they name files that are gone. Only root may renew them.
    if (process.getuid?.() === 0) await run('apt-get', ['update', '--quiet'], { env });
    await run('apt-get', ['download', '--quiet', 'prometheus'], { cwd: folder, env });
    const [archive = ''] = await readdir(folder);
    await run('dpkg-deb', ['--extract', archive, 'unpacked'], { cwd: folder, env });
    for (const program of PROGRAMS) await rename(join(folder, 'unpacked/usr/bin', program), join(cache, program));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
