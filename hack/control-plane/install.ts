/** Downloads missing binaries into the cache folder, or builds binaries without a download with Go. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isExecutable } from './binaries-in-env.ts';
import { download, findRelease, type ReleaseFile } from './download.ts';
import { build } from './go-build.ts';
import { withLock } from './lock.ts';
import type { Progress } from './progress.ts';
import type { Binary, Platform } from './versions.ts';

/** Prefix of the folders with incomplete files. A complete binary is renamed into the cache folder. */
const PARTIAL_PREFIX = 'partial-';

export interface InstallOptions {
  /** The path of each binary in the cache folder. */
  readonly paths: Readonly<Partial<Record<Binary, string>>>;
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: Platform;
  readonly progress: Progress;
}

/** Installs the missing binaries. A lock excludes concurrent processes, and each binary appears only when it is complete. */
export async function install(options: InstallOptions): Promise<void> {
  const { paths, cache, progress, platform } = options;
  const isMissing = (binary: Binary) => !isExecutable(paths[binary] ?? '');
  await withLock(join(cache, 'install.lock'), async () => {
    // Deletes the incomplete files of killed processes.
    const partialFolders = (await readdir(cache)).filter((name) => name.startsWith(PARTIAL_PREFIX));
    for (const name of partialFolders) await rm(join(cache, name), { recursive: true });
    const missing = (Object.keys(paths) as Binary[]).filter(isMissing);
    const problems = new Set<string>();
    const recordProblem = (error: unknown) => {
      problems.add(error instanceof Error ? error.message : String(error));
      return undefined;
    };
    const releases = await Promise.all(missing.map((binary) => findRelease(binary, platform).catch(recordProblem)));
    // Several binaries may be in one archive.
    for (const [url, releasesWithUrl] of Map.groupBy(
      releases.filter((release) => release !== undefined),
      (release) => release.url,
    )) {
      const binaries = missing.filter((_, index) => releases[index]?.url === url);
      const work = (folder: string) => download(releasesWithUrl[0] as ReleaseFile, binaries, folder);
      await addToCache(binaries, `downloading ${binaries.join(', ')}`, work, options).catch(recordProblem);
    }
    if (problems.size > 0) progress.note(`Cannot download: ${[...problems].join('; ')}`);
    for (const binary of missing.filter(isMissing)) await buildMissing(binary, [...problems], options);
  });
}

async function buildMissing(binary: Binary, problems: readonly string[], options: InstallOptions): Promise<void> {
  const { env, platform } = options;
  try {
    const name = `building ${binary} with Go; from an empty Go cache it takes minutes, once`;
    await addToCache([binary], name, (folder) => build(binary, folder, env, platform), options);
  } catch (error) {
    const lines = [
      `Cannot get ${binary}.`,
      `  Download: ${problems.join('; ') || 'failed'}`,
      `  Build: ${error instanceof Error ? error.message : error}`,
      'Do one of the following:',
      '  - give this machine access to dl.k8s.io and github.com, and try again',
      '  - install Go from https://go.dev/dl/ and try again',
      '  - set KUBEBUILDER_ASSETS to a folder with all binaries of the control plane',
    ];
    throw new Error(lines.join('\n'), { cause: error });
  }
}

async function addToCache(
  binaries: readonly Binary[],
  name: string,
  work: (folder: string) => Promise<void>,
  { paths, cache, progress }: InstallOptions,
): Promise<void> {
  const partialFolder = await mkdtemp(join(cache, PARTIAL_PREFIX));
  const step = progress.step(name);
  try {
    await work(partialFolder);
    for (const binary of binaries) {
      const path = paths[binary] ?? '';
      await mkdir(dirname(path), { recursive: true });
      await rename(join(partialFolder, binary), path);
    }
    step.done();
  } catch (error) {
    step.failed(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    throw error;
  } finally {
    await rm(partialFolder, { recursive: true, force: true });
  }
}
