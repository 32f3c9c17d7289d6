/**
 * `make packages`: builds the packages of this repository and packs them into dist/packages/.
 *
 *   node hack/packages/pack.ts [--homepage=<URL of the project>]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packPlugin } from '../plugin/npm-package.ts';
import { LIBRARIES, packPackage } from './pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');
const OUTPUT = join(PROJECT, 'dist/packages');

const { homepage } = parseArgs({ options: { homepage: { type: 'string', default: '' } } }).values;
for (const folder of [...LIBRARIES, 'create-controller-runtime'])
  console.log(await packPackage(folder, OUTPUT, homepage === '' ? undefined : homepage));
console.log(await packPlugin(OUTPUT));
