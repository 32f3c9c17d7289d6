/**
 * `make plugin-release`: writes the checksums and the krew manifest of the archives in dist/plugin/.
 *
 *   node hack/plugin/write-release-files.ts --downloads=<URL of their folder> --homepage=<URL of the project>
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { runScript } from '../control-plane/run-script.ts';
import { createKrewManifest } from './krew-manifest.ts';

const ARCHIVE_NAME_PATTERN = /^kubectl-tcj-(?<os>[a-z]+)-(?<arch>[a-z0-9]+)\.tar\.gz$/;

interface ReleaseOptions {
  /** Folder with the archives. */
  readonly folder: string;
  /** URL of the folder from which users download the archives, without a slash at the end. */
  readonly downloads: string;
  /** URL of the project. */
  readonly homepage: string;
}

/**
 * Returns the texts by file name: the checksums for `sha256sum --check`, and the manifest for krew. Throws if the folder contains no
 * archive.
 */
export function createReleaseFiles({ folder, downloads, homepage }: ReleaseOptions) {
  const archives = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const { os, arch } = ARCHIVE_NAME_PATTERN.exec(name)?.groups ?? {};
      if (os === undefined || arch === undefined) return [];
      const sha256 = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return [{ name, platform: { os, arch }, uri: `${downloads}/${name}`, sha256 }];
    });
  if (archives.length === 0) throw new Error(`${folder} has no archive of kubectl tcj: run "make plugin-executable"`);
  return {
    SHA256SUMS: archives.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''),
    'tcj.yaml': createKrewManifest({ version: packageJson.version, homepage, archives }),
  };
}

if (import.meta.main) {
  await runScript(async () => {
    const options = { downloads: { type: 'string' }, homepage: { type: 'string' } } as const;
    const { downloads, homepage } = parseArgs({ options }).values;
    if (!downloads || !homepage) throw new Error('set --downloads and --homepage (with make: DOWNLOADS and HOMEPAGE)');
    const folder = join(import.meta.dirname, '../../dist/plugin');
    for (const [name, text] of Object.entries(createReleaseFiles({ folder, downloads, homepage }))) {
      writeFileSync(join(folder, name), text);
      console.log(join(folder, name));
    }
  });
}
