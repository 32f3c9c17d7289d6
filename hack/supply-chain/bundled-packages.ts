/** Finds the packages of a bundle by its modules. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Licence in package.json, usually an SPDX id or expression. */
  readonly licence: string | undefined;
  /** Names of all dependencies, including dependencies outside the bundle. */
  readonly dependencies: readonly string[];
  /** Licences and notices with their paths in the package. */
  readonly texts: readonly LicenceText[];
}

export interface LicenceText {
  readonly path: string;
  readonly text: string;
}

/** Name of the module with the helpers that Rolldown adds to each bundle. */
export const ROLLDOWN_RUNTIME = '\0rolldown/runtime.js';
const LICENCE_FILE_PATTERN = /^(licen[cs]e|copying|notice|copyright|unlicense)([.-].*)?$/i;

/**
 * Returns the packages, sorted by name and version. Ignores modules of the project and modules that the build generates.
 *
 * @param moduleIds Module ids of Rolldown: absolute paths, or names that start with a NUL.
 * @param rolldown The folder of the package rolldown.
 */
export function findBundledPackages(moduleIds: readonly string[], rolldown: string): readonly BundledPackage[] {
  const modulesByFolder = new Map<string, string[]>();
  for (const id of moduleIds) {
    const file = id === ROLLDOWN_RUNTIME ? join(rolldown, 'package.json') : id.replace(/\?.*$/, '');
    if (id !== ROLLDOWN_RUNTIME && (id.startsWith('\0') || !id.includes('/node_modules/'))) continue;
    const folder = findPackageFolder(file);
    modulesByFolder.set(folder, [...(modulesByFolder.get(folder) ?? []), file]);
  }
  const packages = [...modulesByFolder].map(([folder, files]) => readPackage(folder, files));
  // A package may be installed twice in the same version.
  const uniquePackages = new Map(
    packages.map((bundledPackage) => [`${bundledPackage.name}@${bundledPackage.version}`, bundledPackage]),
  );
  return [...uniquePackages].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, bundled]) => bundled);
}

/** Skips a package.json without a name and a version, which only sets the module type of a folder. */
function findPackageFolder(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const { name, version } = readManifest(folder);
    if (typeof name === 'string' && typeof version === 'string') return folder;
  }
  throw new Error(
    `${file} is in the bundle but belongs to no package: no package.json above it has a name and a version`,
  );
}

function readPackage(folder: string, files: readonly string[]): BundledPackage {
  const { name, version, license: licence, dependencies, peerDependencies } = readManifest(folder);
  return {
    name: String(name),
    version: String(version),
    licence: typeof licence === 'string' ? licence : undefined,
    dependencies: Object.keys({ ...dependencies, ...peerDependencies }).sort(),
    texts: listFolders(folder, files).flatMap((subfolder) => readLicenceTexts(folder, subfolder)),
  };
}

/** Returns the folders from the package down to the bundled files, because copied code may have its own licence file. */
function listFolders(folder: string, files: readonly string[]): readonly string[] {
  const folders = new Set([folder]);
  for (const file of files) {
    for (let inner = dirname(file); inner.length > folder.length; inner = dirname(inner)) folders.add(inner);
  }
  return [...folders].sort();
}

function readLicenceTexts(root: string, folder: string): readonly LicenceText[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE_PATTERN.test(entry.name) && !/\.[cm]?[jt]s$/.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort()
    .map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim() }))
    .filter(({ text }) => text !== '');
}

interface InstalledManifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly license?: unknown;
  readonly dependencies?: object;
  readonly peerDependencies?: object;
}

function readManifest(folder: string): InstalledManifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
