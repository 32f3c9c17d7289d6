/**
 * `make packages`: builds the packages of this repository and packs them into dist/packages/.
 *
 *   node hack/packages/pack.ts [--homepage=<URL of the project>]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packPlugin } from '../plugin/npm-package.ts';
import { LIBRARIES, packPackage } from './pack-package.ts';

/**
 * Packs all packages. Resolves to the paths of the tarballs in `output`.
 *
 * @param homepage URL of the project. Default: the packages have no links.
 */
export async function packAll(output: string, homepage?: string): Promise<readonly string[]> {
  const tarballs: string[] = [];
  for (const folder of [...LIBRARIES, 'create-controller-runtime'])
    tarballs.push(await packPackage(folder, output, homepage));
  return [...tarballs, await packPlugin(output, homepage)];
}

if (import.meta.main) {
  const { homepage } = parseArgs({ options: { homepage: { type: 'string', default: '' } } }).values;
  const output = join(import.meta.dirname, '../../dist/packages');
  for (const tarball of await packAll(output, homepage === '' ? undefined : homepage)) console.log(tarball);
}
