/** What a release has beside the archives: their checksums, and the manifest for krew. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { krewManifest, type ReleasedArchive } from './krew-manifest.ts';

/** Of `make plugin-executable`. */
const ARCHIVE_NAME = /^kubectl-tcj-(?<os>[a-z]+)-(?<arch>[a-z0-9]+)\.tar\.gz$/;

export interface ReleaseOptions {
  /** With the archives. */
  readonly folder: string;
  readonly version: string;
  /** URL of the folder from which the archives will be downloaded, without a slash at the end. */
  readonly downloads: string;
  /** URL of the project. */
  readonly homepage: string;
}

export interface Release {
  /** As `sha256sum --check` reads them. */
  readonly checksums: string;
  /** YAML. */
  readonly manifest: string;
}

/** Throws when the folder has no archive. */
export async function releaseOf({ folder, version, downloads, homepage }: ReleaseOptions): Promise<Release> {
  const names = (await readdir(folder)).filter((name) => ARCHIVE_NAME.test(name)).sort();
  if (names.length === 0) throw new Error(`${folder} has no archive of kubectl tcj: run "make plugin-executable"`);
  const archives = await Promise.all(
    names.map(async (name): Promise<ReleasedArchive> => {
      const { os = '', arch = '' } = ARCHIVE_NAME.exec(name)?.groups ?? {};
      const sha256 = createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex');
      return { platform: { os, arch }, uri: `${downloads}/${name}`, sha256 };
    }),
  );
  return {
    checksums: names.map((name, index) => `${archives[index]?.sha256}  ${name}\n`).join(''),
    manifest: krewManifest({ version, homepage, archives }),
  };
}
