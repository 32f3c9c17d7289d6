/** `make plugin-executable`: builds kubectl tcj as an executable for this platform, its archive and its SBOM in dist/plugin/. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SBOM_FILE } from '../supply-chain/rolldown-plugin.ts';
import { createArchive } from './archive.ts';
import { buildExecutable } from './executable.ts';

const OUTPUT = join(import.meta.dirname, '../../dist/plugin');
const GZIP_LEVEL = 9;

await mkdir(OUTPUT, { recursive: true });
const executable = await buildExecutable(OUTPUT);
const sbom = `${executable.path}.${SBOM_FILE}`;
await copyFile(join(executable.buildFolder, SBOM_FILE), sbom);
for (const file of [executable.path, await createArchive(executable, GZIP_LEVEL), sbom]) console.log(file);
