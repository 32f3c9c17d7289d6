import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../hack/control-plane/run.ts';
import { LIBRARIES, packPackage } from '../../hack/packages/pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');

/**
 * Packs a package of this repository and installs it into `home`, an empty folder, without a network: its dependencies are copied from this
 * installation, and the packages of this repository that it needs are packed too. Resolves to the path of the tarball.
 *
 * @param folder Of the package, relative to the project's folder.
 * @param output Another folder, for the tarball.
 */
export async function installPacked(folder: string, home: string, output: string): Promise<string> {
  const tarballs = await installAllPacked([...listLibraries(folder), folder], home, output);
  return tarballs.at(-1) ?? '';
}

/** The same for several packages. */
export async function installAllPacked(
  folders: readonly string[],
  home: string,
  output: string,
): Promise<readonly string[]> {
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  const tarballs: string[] = [];
  for (const folder of folders) {
    for (const name of listDependencies(join(PROJECT, folder), ['dependencies', 'peerDependencies'])) {
      if (FOLDERS.has(name)) continue;
      cpSync(join(PROJECT, 'node_modules', name), join(home, 'node_modules', name), { recursive: true });
    }
    tarballs.push(await packPackage(folder, output));
  }
  await run('npm', ['install', '--offline', ...tarballs], { cwd: home });
  return tarballs;
}

/** The folders of the libraries of this repository, by name. */
const FOLDERS = new Map(LIBRARIES.map((folder) => [readManifest(join(PROJECT, folder)).name, folder]));

/** The folders of the libraries of this repository that the package in `folder` needs. */
function listLibraries(folder: string): readonly string[] {
  const { dependencies = {} } = readManifest(join(PROJECT, folder));
  return Object.keys(dependencies).flatMap((name) => FOLDERS.get(name) ?? []);
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * Names of the packages that the package in `folder` needs, and of their own dependencies. A package that the user brings needs no others.
 */
function listDependencies(folder: string, fields: readonly string[]): ReadonlySet<string> {
  const manifest = readManifest(folder);
  const names = fields.flatMap((field) => Object.keys(manifest[field] ?? {}));
  const inner = names.flatMap((name) => [...listDependencies(join(PROJECT, 'node_modules', name), ['dependencies'])]);
  return new Set([...names, ...inner]);
}
