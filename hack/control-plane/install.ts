/** Fills the cache folder with binaries that are missing in it. */
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadRelease, findReleases, OFFICIAL_ORIGINS, type Origins, type ReleaseFile } from './download.ts';
import { isExecutable } from './given-assets.ts';
import { build, findToolchain } from './go-build.ts';
import { withLock } from './lock.ts';
import type { Progress, Step } from './progress.ts';
import type { Binary, Platform } from './versions.ts';

/** Unfinished work lies in folders of this name until the rename that makes it count. */
const PARTIAL_PREFIX = 'partial-';

export interface InstallOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: Platform;
  readonly progress: Progress;
  /** Default the official ones. */
  readonly origins?: Origins;
}

/** Downloads or builds `binaries` into the folder, each entering it whole. One process at a time does this. */
export async function install(binaries: readonly Binary[], options: InstallOptions): Promise<void> {
  const { folder, progress } = options;
  let waiting: Step | undefined;
  const onWait = (holder: string) => {
    waiting = progress.step(`waiting for the control plane, which ${holder} is installing`);
  };
  await withLock(join(folder, 'install.lock'), { onWait }, async () => {
    waiting?.done();
    await removePartials(folder);
    const missing = () => binaries.filter((binary) => !isExecutable(join(folder, binary)));
    if (missing().length === 0) return;
    progress.note(`Control plane: ${missing().join(', ')} to be put into ${folder}, once for all clones`);
    const problems = await downloadAll(missing(), options);
    if (missing().length > 0) await buildAll(missing(), problems, options);
  });
}

/** What could not be downloaded is left missing; returns why. */
async function downloadAll(binaries: readonly Binary[], options: InstallOptions): Promise<readonly string[]> {
  const { platform, progress, origins = OFFICIAL_ORIGINS } = options;
  const step = progress.step('looking for official releases');
  const { files, problems } = await findReleases(binaries, platform, origins);
  if (problems.length === 0) step.done();
  else step.failed(problems.join('; '));

  const failures: string[] = [...problems];
  for (const file of files) {
    const failure = await downloadOne(file, options);
    if (failure !== undefined) failures.push(failure);
  }
  return failures;
}

async function downloadOne(file: ReleaseFile, { folder, progress }: InstallOptions): Promise<string | undefined> {
  const step = progress.step(`downloading ${file.binaries.join(', ')} from ${new URL(file.url).host}`);
  try {
    await withPartialFolder(folder, async (partial) => {
      await downloadRelease(file, partial, (bytes, size) => {
        step.update(size === undefined ? megabytes(bytes) : `${megabytes(bytes)} of ${megabytes(size)}`);
      });
      for (const binary of file.binaries) await rename(join(partial, binary), join(folder, binary));
    });
    step.done();
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    step.failed(reason);
    return reason;
  }
}

async function buildAll(
  binaries: readonly Binary[],
  problems: readonly string[],
  { folder, env, platform, progress }: InstallOptions,
): Promise<void> {
  const toolchain = await findToolchain(env, platform);
  if (toolchain.kind === 'unusable') throw new Error(advice(binaries, problems, toolchain.message));
  progress.note(
    `Building with ${toolchain.version}; from an empty Go cache it takes 10 to 15 minutes on two processors, once`,
  );
  for (const [index, binary] of binaries.entries()) {
    const step = progress.step(`building ${binary} (${index + 1} of ${binaries.length})`);
    try {
      await withPartialFolder(folder, async (partial) => {
        await build(binary, { folder: partial, env, platform, onProgress: step.update });
        await rename(join(partial, binary), join(folder, binary));
      });
    } catch (error) {
      step.failed('see below');
      throw error;
    }
    step.done();
  }
}

function advice(binaries: readonly Binary[], problems: readonly string[], goProblem: string): string {
  return [
    `No way to get ${binaries.join(', ')}.`,
    `  Download: ${problems.join('; ') || 'it is only built'}`,
    `  Build: ${goProblem}`,
    'Do one of these:',
    '  - let this machine reach dl.k8s.io and github.com, and try again',
    '  - install Go from https://go.dev/dl/ and try again',
    `  - set KUBEBUILDER_ASSETS to a folder that holds ${binaries.join(', ')}`,
  ].join('\n');
}

async function withPartialFolder(folder: string, work: (partial: string) => Promise<void>): Promise<void> {
  const partial = await mkdtemp(join(folder, PARTIAL_PREFIX));
  try {
    await work(partial);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Left by a process that was killed. Nobody else works here while the lock is held. */
async function removePartials(folder: string): Promise<void> {
  const names = await readdir(folder);
  const partials = names.filter((name) => name.startsWith(PARTIAL_PREFIX));
  await Promise.all(partials.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
