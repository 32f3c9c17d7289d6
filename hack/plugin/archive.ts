/** Writes a reproducible archive with an executable and its licences, which users download. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTar, type TarEntry } from '../image/tar.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import type { Executable } from './executable.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Names of the files in each archive, the executable first. */
export const ARCHIVE_FILES = ['kubectl-tcj', 'LICENSE', 'NODE_LICENSE', LICENCES_FILE] as const;

/**
 * Writes the archive beside the executable. Resolves to its path, `kubectl-tcj-<os>-<arch>.tar.gz`.
 *
 * @param level Compression level of gzip: 0 takes a second, 9 half a minute for a third of the size.
 */
export async function createArchive({ path, buildFolder, nodeLicence }: Executable, level: number): Promise<string> {
  const sources = [path, join(PROJECT, 'LICENSE'), nodeLicence, join(buildFolder, LICENCES_FILE)];
  const entries = sources.map(async (source, index): Promise<TarEntry> => {
    const content = await readFile(source);
    return { kind: 'file', path: ARCHIVE_FILES[index] ?? '', content, mode: source === path ? 0o755 : 0o644 };
  });
  const file = `${path}.tar.gz`;
  await writeFile(file, await promisify(gzip)(await createTar(await Promise.all(entries)), { level }));
  return file;
}
