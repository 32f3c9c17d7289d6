import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function computeFileHash(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Returns the checksums of the files in a folder, for `sha256sum --check`. */
export function createChecksums(folder: string): string {
  const names = readdirSync(folder).sort();
  return names.map((name) => `${computeFileHash(join(folder, name))}  ${name}\n`).join('');
}
