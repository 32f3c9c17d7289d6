/** `make image`: dist/image.tar without a daemon. `node hack/image/build.ts NAME:TAG [FILE]` */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Progress } from '../control-plane/progress.ts';
import { createManagerImage } from './manager-image.ts';

const PROJECT = join(import.meta.dirname, '../..');

const [name, file = join(PROJECT, 'dist/image.tar')] = process.argv.slice(2);
if (!name) throw new Error('usage: build.ts NAME:TAG [FILE]');
const step = new Progress(process.stdout).step(`building ${name}`);
const { content, compressedSize, uncompressedSize } = await createManagerImage(PROJECT, name);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, content);
step.done();
const archive = relative('.', file);
console.log(`${archive}: ${formatMegabytes(uncompressedSize)}, ${formatMegabytes(compressedSize)} compressed`);
console.log(`Next: load it onto the nodes (kind load image-archive ${archive}), then run: make deploy IMG=${name}`);

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
