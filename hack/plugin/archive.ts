/** Writes the reproducible archive that users download, with an executable and its licences. */
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

/** Writes the archive to the folder of the executable. Resolves to the path of `kubectl-tcj-<os>-<arch>.tar.gz`. */
export async function createArchive({ path, buildFolder, nodeLicence }: Executable): Promise<string> {
  const sources = [path, join(PROJECT, 'LICENSE'), nodeLicence, join(buildFolder, LICENCES_FILE)];
  const entries = sources.map(async (source, index): Promise<TarEntry> => {
    const content = await readFile(source);
    return { kind: 'file', path: ARCHIVE_FILES[index] ?? '', content, mode: source === path ? 0o755 : 0o644 };
  });
  const file = `${path}.tar.gz`;
  await writeFile(file, await promisify(gzip)(await createTar(await Promise.all(entries))));
  return file;
}
