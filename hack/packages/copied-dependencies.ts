import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { findBundledPackages } from '../supply-chain/bundled-packages.ts';
import { formatThirdPartyLicences } from '../supply-chain/licences.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import { smallCronParser, smallPromClient } from '../supply-chain/small-bundle.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** A dependency with a smaller copy in the package. A package cannot leave out a dependency of its dependency. */
interface CopiedDependency {
  readonly plugin: Plugin;
  /** The only module that imports the dependency. Default: bundlers for browsers use the copy, and Node uses the dependency. */
  readonly importer?: string;
}

const COPIED_DEPENDENCIES: ReadonlyMap<string, CopiedDependency> = new Map([
  // Without luxon.
  ['cron-parser', { plugin: smallCronParser }],
  // Without four packages with 4 MB, most of it test data.
  ['prom-client', { plugin: smallPromClient, importer: 'metrics/metrics-registry.js' }],
]);

/** Writes the copies of the dependencies, and their licences, into `packageFolder`. */
export async function copyDependencies(
  packageFolder: string,
  dependencies: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [name, { plugin, importer }] of COPIED_DEPENDENCIES) {
    if (dependencies[name] === undefined) continue;
    const file = getCopyFile(name);
    const { output } = await build({
      cwd: PROJECT,
      input: name,
      platform: importer === undefined ? 'browser' : 'node',
      plugins: [plugin],
      output: { file: join(packageFolder, file), format: 'esm' },
      logLevel: 'warn',
    });
    const packages = findBundledPackages(Object.keys(output[0].modules), join(PROJECT, 'node_modules/rolldown'));
    writeFileSync(join(packageFolder, LICENCES_FILE), formatThirdPartyLicences(file, packages));
    if (importer !== undefined)
      redirectImport(join(packageFolder, importer), name, posix.relative(posix.dirname(importer), file));
  }
}

function redirectImport(module: string, name: string, copy: string): void {
  const text = readFileSync(module, 'utf8');
  if (!text.includes(`from '${name}';`)) throw new Error(`${module} does not import ${name}`);
  writeFileSync(module, text.replace(`from '${name}';`, `from '${copy}';`));
}

/** Returns the fields of package.json for the copies: the dependencies that Node uses, and the copies that browsers use. */
export function createDependencyFields(dependencies: Readonly<Record<string, string>>): object {
  const isReplaced = (name: string) => COPIED_DEPENDENCIES.get(name)?.importer !== undefined;
  const copied = Object.keys(dependencies).filter((name) => COPIED_DEPENDENCIES.has(name) && !isReplaced(name));
  return {
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => !isReplaced(name))),
    ...(copied.length > 0 && { browser: Object.fromEntries(copied.map((name) => [name, `./${getCopyFile(name)}`])) }),
  };
}

function getCopyFile(name: string): string {
  return `${name}.js`;
}
