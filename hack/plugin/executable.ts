/** Builds the plugin as an executable, which contains the bundle and the pinned Node, for the platform of the build machine. */
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../control-plane/run.ts';
import { detectPlatform, type Platform } from '../control-plane/versions.ts';
import { findNodeWithLicence } from '../image/manager-image.ts';
import { bundlePlugin } from './bundle.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** Node reads the program from this section of its executable: nodejs doc/api/single-executable-applications.md. */
const SEA_SECTION = 'NODE_SEA_BLOB';
const SEA_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const SEA_MACOS_SEGMENT = 'NODE_SEA';

export interface Executable {
  readonly platform: Platform;
  /** Path of the executable, `<output>/kubectl-tcj-<os>-<arch>`. */
  readonly path: string;
  /** Path of the folder with the licences and the SBOM of the bundle. */
  readonly buildFolder: string;
  /** Path of the licences of Node and its libraries. */
  readonly nodeLicence: string;
}

/** Requires `strip` on Linux and `codesign` on macOS. */
export async function buildExecutable(output: string): Promise<Executable> {
  const platform = detectPlatform();
  const name = `kubectl-tcj-${platform.os}-${platform.arch}`;
  const buildFolder = join(output, `${name}.build`);
  await rm(buildFolder, { recursive: true, force: true });
  await mkdir(buildFolder, { recursive: true });
  const { node, licence } = findNodeWithLicence(PROJECT);
  const path = join(output, name);
  await copyFile(node, path);
  await chmod(path, 0o755);
  await prepareForInjection(path, platform);
  const injectionFlags = ['--sentinel-fuse', SEA_FUSE, '--macho-segment-name', SEA_MACOS_SEGMENT];
  // In a separate process, because postject prints warnings about the ELF notes of Node.
  await run('postject', [path, SEA_SECTION, await createBlob(node, buildFolder), ...injectionFlags]);
  if (platform.os === 'darwin') await run('codesign', ['--sign', '-', path]);
  return { platform, path, buildFolder, nodeLicence: licence };
}

/**
 * Returns the path of the blob to inject. The blob contains the bundle and its compiled code, which saves a quarter of the start-up time.
 */
async function createBlob(node: string, folder: string): Promise<string> {
  const output = 'blob';
  const options = {
    main: 'kubectl-tcj.cjs', // relative, because the blob contains the path
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: ['--no-warnings'], // such as the warning that V8 compiles again for another processor
    execArgvExtension: 'none', // NODE_OPTIONS are meant for the user's own Node
  };
  await bundlePlugin(join(folder, options.main));
  await writeFile(join(folder, 'sea.json'), JSON.stringify(options));
  // The seed makes the blob reproducible. With --hash-seed instead, V8 would reject the compiled code.
  await run(node, ['--random-seed=1', '--experimental-sea-config', 'sea.json'], { cwd: folder });
  return join(folder, output);
}

/** Removes 18 MB of symbols on Linux. Removes the signature on macOS, because the injected blob makes the signature invalid. */
async function prepareForInjection(path: string, { os }: Platform): Promise<void> {
  if (os === 'darwin') await run('codesign', ['--remove-signature', path]);
  else await run('strip', [path]);
}
