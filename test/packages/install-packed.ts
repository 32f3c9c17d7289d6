import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../hack/control-plane/run.ts';
import { packPackage } from '../../hack/packages/pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');

/**
 * Packs a package of this repository and installs it into `home`, an empty folder, without a network: its dependencies are copied from this
 * installation. Resolves to the path of the tarball.
 *
 * @param folder Of the package, relative to the project's folder.
 * @param output Another folder, for the tarball.
 */
export async function installPacked(folder: string, home: string, output: string): Promise<string> {
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  for (const name of listDependencies(join(PROJECT, folder), ['dependencies', 'peerDependencies'])) {
    cpSync(join(PROJECT, 'node_modules', name), join(home, 'node_modules', name), { recursive: true });
  }
  const tarball = await packPackage(folder, output);
  await run('npm', ['install', '--offline', tarball], { cwd: home });
  return tarball;
}

/**
 * Names of the packages that the package in `folder` needs, and of their own dependencies. A package that the user brings needs no others.
 */
function listDependencies(folder: string, fields: readonly string[]): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const names = fields.flatMap((field) => Object.keys(manifest[field] ?? {}));
  const inner = names.flatMap((name) => [...listDependencies(join(PROJECT, 'node_modules', name), ['dependencies'])]);
  return new Set([...names, ...inner]);
}
