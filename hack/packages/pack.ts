/** `make packages`: builds the packages of this repository and packs them into dist/packages/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packPlugin } from '../plugin/npm-package.ts';
import { packPackage } from './pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');
const OUTPUT = join(PROJECT, 'dist/packages');

const { workspaces } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
for (const folder of workspaces) {
  console.log(await (folder === 'kubectl-tcj' ? packPlugin(OUTPUT) : packPackage(folder, OUTPUT)));
}
