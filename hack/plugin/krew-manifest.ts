/** Generates the manifest for krew, the package manager of kubectl: krew.sigs.k8s.io/docs/developer-guide. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Platform } from '../control-plane/versions.ts';
import { computeFileHash } from '../release/checksums.ts';
import { ARCHIVE_FILES } from './archive.ts';

/** Name of the plugin in the krew index. */
const PLUGIN_NAME = 'tcj';
/** The guidelines of krew allow at most 50 characters, for the table of `kubectl krew search`. */
const SHORT_DESCRIPTION = 'Explain what CronJobs do and why they do not run';
const DESCRIPTION = `Shows which CronJobs of cronjob-operator (batch.tutorial.kubebuilder.io) have
failed and why, their previous runs, and their next runs. Runs, suspends and
resumes them.
`;
const CAVEATS = `The plugin supports CronJobs of cronjob-operator, not of batch/v1. You need
permission to get and list them, and to patch them for suspend and resume.
On Linux it needs glibc 2.28 and libstdc++. On Alpine, install it with npm.
`;

const ARCHIVE_NAME_PATTERN = /^kubectl-tcj-(?<os>[a-z]+)-(?<arch>[a-z0-9]+)\.tar\.gz$/;

export interface ReleasedArchive {
  readonly platform: Platform;
  /** The URL of the archive. */
  readonly uri: string;
  readonly sha256: string;
}

interface KrewManifestOptions {
  /** Version in package.json. */
  readonly version: string;
  /** URL of the project. */
  readonly homepage: string;
  readonly archives: readonly ReleasedArchive[];
}

/**
 * Finds the archives of kubectl tcj in a folder.
 *
 * @param downloads URL of the folder from which users download the archives, without a slash at the end.
 */
export function findArchives(folder: string, downloads: string): readonly ReleasedArchive[] {
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const { os, arch } = ARCHIVE_NAME_PATTERN.exec(name)?.groups ?? {};
    if (os === undefined || arch === undefined) return [];
    return [{ platform: { os, arch }, uri: `${downloads}/${name}`, sha256: computeFileHash(join(folder, name)) }];
  });
}

export function createKrewManifest({ version, homepage, archives }: KrewManifestOptions): string {
  const platforms = archives.map(({ platform: { os, arch }, uri, sha256 }) => ({
    selector: { matchLabels: { os, arch } },
    uri,
    sha256,
    files: ARCHIVE_FILES.map((from) => ({ from, to: '.' })),
    bin: ARCHIVE_FILES[0],
  }));
  const spec = {
    version: `v${version}`,
    homepage,
    shortDescription: SHORT_DESCRIPTION,
    description: DESCRIPTION,
    caveats: CAVEATS,
    platforms,
  };
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: PLUGIN_NAME },
    spec,
  };
  return stringify(manifest, { lineWidth: 0 });
}
