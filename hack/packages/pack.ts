/** `make packages`: builds the packages of this repository and packs them into dist/packages/. */
import { join } from 'node:path';
import { packPlugin } from '../plugin/npm-package.ts';
import { LIBRARIES, packPackage } from './pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');
const OUTPUT = join(PROJECT, 'dist/packages');

for (const folder of LIBRARIES) console.log(await packPackage(folder, OUTPUT));
console.log(await packPlugin(OUTPUT));
