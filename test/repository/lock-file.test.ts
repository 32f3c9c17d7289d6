/** The lock file is complete, so that `npm ci`, which installs only its packages, builds the image: docs/adr/0008-lock-file.md. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const readPackages = (file: string): Readonly<Record<string, LockedPackage>> => read(file).packages;
const packages = readPackages('package-lock.json');
const { workspaces } = read('package.json');

const LOCK_FILES = ['package-lock.json', 'site/package-lock.json'];

test.each(LOCK_FILES)('%s has every required package, also for other platforms', (file) => {
  const locked = readPackages(file);
  const missing = Object.entries(locked).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !canResolve(locked, path, name))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test.each(LOCK_FILES)('%s has the checksum of each package, and no address', (file) => {
  const ownPackages = ['', ...workspaces];
  const others = Object.entries(readPackages(file)).filter(
    ([path, { link }]) => !ownPackages.includes(path) && link !== true,
  );
  expect(others.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(others.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test.each(['', ...workspaces])('matches the package.json of the package "%s"', (path: string) => {
  const manifest = read(path === '' ? 'package.json' : `${path}/package.json`);
  for (const name of ['dependencies', 'devDependencies'] as const)
    expect(packages[path]?.[name]).toEqual(manifest[name]);
});

test('is used to build the image', () => {
  const commands = readFileSync('Dockerfile', 'utf8').match(/^RUN npm .*/gm);
  expect(commands).toEqual(['RUN npm ci --loglevel=error', 'RUN npm run build']);
});

/** The folders that Node searches: beside the package, and in its parent folders. */
function canResolve(locked: object, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in locked) return true;
    if (folder === '') return false;
  }
}
