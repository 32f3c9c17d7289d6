/** `make packages`: builds the packages of this repository and packs them into dist/packages/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packPackage } from './pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');

const { workspaces } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
for (const folder of workspaces) console.log(await packPackage(folder, join(PROJECT, 'dist/packages')));
