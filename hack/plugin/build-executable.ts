/** `make plugin-executable`: kubectl tcj as an executable of this machine's platform, and its archive, in dist/plugin/. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { archive } from './archive.ts';
import { buildExecutable } from './executable.ts';

const OUTPUT = join(import.meta.dirname, '../../dist/plugin');
const GZIP_LEVEL = 9;

await mkdir(OUTPUT, { recursive: true });
const executable = await buildExecutable(OUTPUT);
console.log(executable.path);
console.log(await archive(executable, GZIP_LEVEL));
