import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../control-plane/run.ts';
import { copyDependencies } from './copied-dependencies.ts';
import { bundleModels } from './kubernetes-models.ts';
import { npmPack } from './npm-pack.ts';
import { readPages, withoutOuterLinks } from './pages.ts';
import { createPublishedManifest, listEntries, type PackageManifest } from './published-manifest.ts';
import { placeSourceMaps } from './source-maps.ts';
import { deleteUnusedFiles } from './unused-files.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Each package is after the packages that it needs. */
export const LIBRARIES = ['schedule', 'runtime', 'api'];

/**
 * Builds a package with JavaScript, source maps, types, pages, examples, templates and the licence. Resolves to the path of the tarball,
 * `<output>/<name>-<version>.tgz`.
 *
 * @param folder Folder with package.json, tsconfig.build.json and README.md, relative to the project.
 * @param output Folder for the tarball, and for its content in `<name>/`.
 * @param homepage URL of the project. Default: the package has no links.
 */
export async function packPackage(folder: string, output: string, homepage?: string): Promise<string> {
  const source = join(PROJECT, folder);
  const manifest: PackageManifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  const packageFolder = join(output, manifest.name);
  await rm(packageFolder, { recursive: true, force: true });
  await mkdir(packageFolder, { recursive: true });
  await run('tsc', ['-p', join(source, 'tsconfig.build.json'), '--outDir', packageFolder]);
  bundleModels(packageFolder);
  deleteUnusedFiles(packageFolder, listEntries(manifest));
  placeSourceMaps(packageFolder);
  await copyDependencies(packageFolder, manifest.dependencies);
  await writeFile(
    join(packageFolder, 'package.json'),
    `${JSON.stringify(createPublishedManifest(manifest, { homepage, folder }), null, 2)}\n`,
  );
  for (const page of readPages(folder)) {
    const file = join(packageFolder, page.path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withoutOuterLinks(page, folder, homepage));
  }
  for (const name of ['examples', 'template']) {
    const files = join(source, name);
    if (existsSync(files)) await cp(files, join(packageFolder, name), { recursive: true });
  }
  await copyFile(join(PROJECT, 'LICENSE'), join(packageFolder, 'LICENSE'));
  await npmPack(packageFolder, output);
  return join(output, `${manifest.name}-${manifest.version}.tgz`);
}
