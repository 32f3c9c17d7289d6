/** Installs or unpacks packages of Debian. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Progress } from './control-plane/progress.ts';
import { run } from './control-plane/run.ts';

/** Installs packages. Requires root and apt-get. The package containerd also starts a service if the machine has a service manager. */
export async function installPackages(packages: readonly string[], progress = new Progress()): Promise<void> {
  if (packages.length === 0) return;
  await runStep(`installing ${packages.join(', ')} with apt-get`, progress, async () => {
    await updateLists();
    // The installation must not remove a package of the user, such as another vendor's containerd.
    const flags = ['--yes', '--no-remove', '--no-install-recommends', '--option=DPkg::Lock::Timeout=300'];
    await run('apt-get', ['install', ...flags, ...packages], { env: NONINTERACTIVE_ENV });
  });
}

/** Copies programs of a package into `folder` without installing the package, because an installation may add a user or start a service. */
export async function unpackPackage(name: string, programs: readonly string[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const partial = await mkdtemp(join(folder, 'partial-'));
  try {
    await runStep(`unpacking the Debian package ${name}`, new Progress(), async () => {
      if (process.getuid?.() === 0) await updateLists();
      await run('apt-get', ['download', '--quiet', name], { cwd: partial });
      const [archive = ''] = await readdir(partial);
      await run('dpkg-deb', ['--extract', archive, 'unpacked'], { cwd: partial });
      for (const program of programs) await rename(join(partial, 'unpacked/usr/bin', program), join(folder, program));
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Downloads packages for an architecture, without the package lists and architectures of the machine, and extracts them into `folder`.
 *
 * @param architecture Architecture in Debian's notation, which is Go's for `amd64` and `arm64`.
 */
export async function extractPackages(names: readonly string[], architecture: string, folder: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'debian-'));
  try {
    await Promise.all(
      ['lists/partial', 'cache/archives/partial'].map((path) => mkdir(join(work, path), { recursive: true })),
    );
    const settings = {
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': 'root', // another user cannot write to the folder
      'Acquire::Languages': 'none',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::Cache': join(work, 'cache'),
    };
    const flags = ['--quiet', ...Object.entries(settings).map(([key, value]) => `--option=${key}=${value}`)];
    await run('apt-get', [...flags, 'update']);
    await run('apt-get', [...flags, 'download', ...names], { cwd: work });
    const archives = (await readdir(work)).filter((name) => name.endsWith('.deb'));
    for (const archive of archives) await run('dpkg-deb', ['--extract', join(work, archive), folder]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const NONINTERACTIVE_ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/** Updates the package lists, which may be missing, as in a slim image, or outdated. Requires root. */
async function updateLists(): Promise<void> {
  await run('apt-get', ['update', '--quiet'], { env: NONINTERACTIVE_ENV });
}

async function runStep(name: string, progress: Progress, work: () => Promise<void>): Promise<void> {
  const step = progress.step(name);
  try {
    await work();
  } catch (error) {
    step.failed('see below');
    throw error;
  }
  step.done();
}
