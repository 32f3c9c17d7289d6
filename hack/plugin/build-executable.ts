/** `make plugin-executable`: builds kubectl tcj as an executable for this platform, its archive and its SBOM in dist/plugin/. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SBOM_FILE } from '../supply-chain/rolldown-plugin.ts';
import { createArchive } from './archive.ts';
import { buildExecutable } from './executable.ts';

/** Resolves to the paths of the executable, its archive and its SBOM in `output`. */
export async function buildExecutableFiles(output: string): Promise<readonly [string, string, string]> {
  await mkdir(output, { recursive: true });
  const executable = await buildExecutable(output);
  const sbom = `${executable.path}.${SBOM_FILE}`;
  await copyFile(join(executable.buildFolder, SBOM_FILE), sbom);
  return [executable.path, await createArchive(executable), sbom];
}

if (import.meta.main) {
  for (const file of await buildExecutableFiles(join(import.meta.dirname, '../../dist/plugin'))) console.log(file);
}
