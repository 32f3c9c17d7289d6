/**
 * `make plugin-release`: writes what a release has beside the archives of kubectl tcj that are in dist/plugin/: SHA256SUMS, and
 * tcj.yaml for krew.
 *
 *   node hack/plugin/write-release.ts --downloads=<URL of their folder> --homepage=<URL of the project>
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { script } from '../control-plane/script.ts';
import { releaseOf } from './release.ts';

const PROJECT = join(import.meta.dirname, '../..');
const FOLDER = join(PROJECT, 'dist/plugin');

await script(async () => {
  const options = { downloads: { type: 'string' }, homepage: { type: 'string' } } as const;
  const { downloads, homepage } = parseArgs({ options }).values;
  if (!downloads || !homepage) throw new Error('give --downloads and --homepage (make: DOWNLOADS and HOMEPAGE)');
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const { checksums, manifest } = await releaseOf({ folder: FOLDER, version, downloads, homepage });
  for (const [name, text] of Object.entries({ SHA256SUMS: checksums, 'tcj.yaml': manifest })) {
    writeFileSync(join(FOLDER, name), text);
    console.log(join(FOLDER, name));
  }
});
