/** Official release files, verified against the checksums published beside them. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'yaml';
import { run } from './run.ts';
import {
  ACTIONLINT_VERSION,
  API_SERVER_BINARIES,
  type Binary,
  HELM_VERSION,
  KUBERNETES_VERSION,
  KWOK_VERSION,
  type Platform,
} from './versions.ts';

/** An index or checksum that takes longer means no internet, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 5_000;
/** A download without a byte for so long has died, in milliseconds. */
const STALL_TIMEOUT_MS = 30_000;

/** What Kubernetes publishes as a file each, and only for Linux. */
const SINGLE_BINARIES: readonly Binary[] = ['kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'];

/** Where releases are published. */
export interface Origins {
  readonly envtestIndex: string;
  readonly kubernetes: string;
  readonly kwokRelease: string;
  readonly helm: string;
  readonly actionlint: string;
}

export const OFFICIAL_ORIGINS: Origins = {
  envtestIndex: 'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml',
  kubernetes: 'https://dl.k8s.io',
  kwokRelease: `https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v${KWOK_VERSION}`,
  helm: 'https://get.helm.sh',
  actionlint: `https://github.com/rhysd/actionlint/releases/download/v${ACTIONLINT_VERSION}`,
};

/** One file to download, and what it must hash to. */
export interface ReleaseFile {
  readonly url: string;
  readonly algorithm: 'sha256' | 'sha512';
  readonly checksum: string;
  /** The binaries it holds. An archive when its name says so, else the one binary itself. */
  readonly binaries: readonly Binary[];
}

/** Release files for `wanted`, and a sentence for each that there is none for. Answers within seconds, always. */
export async function findReleases(
  wanted: readonly Binary[],
  platform: Platform,
  origins: Origins = OFFICIAL_ORIGINS,
): Promise<{ files: readonly ReleaseFile[]; problems: readonly string[] }> {
  const lookups: Promise<ReleaseFile>[] = [];
  const isWanted = (binary: Binary) => wanted.includes(binary);
  if (API_SERVER_BINARIES.some(isWanted)) lookups.push(findEnvtest(platform, origins.envtestIndex));
  for (const binary of SINGLE_BINARIES.filter(isWanted)) {
    lookups.push(findKubernetesBinary(binary, platform, origins.kubernetes));
  }
  if (isWanted('kwok')) lookups.push(findKwok(platform, origins.kwokRelease));
  if (isWanted('helm')) lookups.push(findHelm(platform, origins.helm));
  if (isWanted('actionlint')) lookups.push(findActionlint(platform, origins.actionlint));

  const files: ReleaseFile[] = [];
  const problems: string[] = [];
  for (const found of await Promise.allSettled(lookups)) {
    if (found.status === 'fulfilled') files.push({ ...found.value, binaries: found.value.binaries.filter(isWanted) });
    else problems.push(describeError(found.reason));
  }
  return { files, problems: [...new Set(problems)] };
}

/**
 * Downloads `file` into `folder`, verifies it, and leaves the binaries there, executable. `onProgress` hears the bytes so
 * far and, when the server tells it, the size. Throws on a wrong checksum or a stalled connection.
 */
export async function downloadRelease(
  file: ReleaseFile,
  folder: string,
  onProgress: (bytes: number, size: number | undefined) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const target = join(folder, 'download');
  const checksum = await downloadFile(file, target, onProgress);
  if (checksum !== file.checksum.toLowerCase()) {
    throw new Error(`${file.url}: ${file.algorithm} is ${checksum}, published is ${file.checksum}`);
  }
  if (file.url.endsWith('.tar.gz')) await extract(target, folder, file);
  else await rename(target, join(folder, file.binaries[0] ?? basename(file.url)));
  await Promise.all(file.binaries.map((binary) => chmod(join(folder, binary), 0o755)));
}

async function findEnvtest(platform: Platform, indexUrl: string): Promise<ReleaseFile> {
  const index: unknown = parse(await lookUp(indexUrl));
  const releases = property(index, 'releases');
  const version = newestPatch(Object.keys(releases ?? {}));
  const name = `envtest-v${version}-${platform.os}-${platform.arch}.tar.gz`;
  const entry = property(property(releases, `v${version}`), name);
  const checksum = property(entry, 'hash');
  const url = property(entry, 'selfLink');
  if (typeof checksum !== 'string' || typeof url !== 'string') throw new Error(`${indexUrl} lists no ${name}`);
  return { url, algorithm: 'sha512', checksum, binaries: API_SERVER_BINARIES };
}

/** Not every patch release is published for envtest: the newest of the same minor that is not above ours. */
function newestPatch(tags: readonly string[]): string {
  const [major, minor, wanted] = KUBERNETES_VERSION.split('.').map(Number);
  const patches = tags
    .map((tag) => /^v(\d+)\.(\d+)\.(\d+)$/.exec(tag)?.slice(1).map(Number) ?? [])
    .filter((parts) => parts[0] === major && parts[1] === minor && (parts[2] ?? 0) <= (wanted ?? 0))
    .map((parts) => parts[2] ?? 0);
  return `${major}.${minor}.${patches.length > 0 ? Math.max(...patches) : wanted}`;
}

async function findKubernetesBinary(binary: Binary, { os, arch }: Platform, origin: string): Promise<ReleaseFile> {
  if (os !== 'linux') throw new Error(`${binary} is not published for ${os}`);
  const url = `${origin}/v${KUBERNETES_VERSION}/bin/${os}/${arch}/${binary}`;
  const [checksum = ''] = (await lookUp(`${url}.sha512`)).trim().split(/\s/);
  return { url, algorithm: 'sha512', checksum, binaries: [binary] };
}

async function findKwok({ os, arch }: Platform, releaseUrl: string): Promise<ReleaseFile> {
  const assets = property(JSON.parse(await lookUp(releaseUrl)), 'assets');
  const name = `kwok-${os}-${arch}`;
  const asset = Array.isArray(assets)
    ? assets.find((candidate: unknown) => property(candidate, 'name') === name)
    : undefined;
  const url = property(asset, 'browser_download_url');
  const digest = property(asset, 'digest');
  if (typeof url !== 'string' || typeof digest !== 'string' || !digest.startsWith('sha256:')) {
    throw new Error(`${releaseUrl} lists no ${name} with a digest`);
  }
  return { url, algorithm: 'sha256', checksum: digest.slice('sha256:'.length), binaries: ['kwok'] };
}

async function findHelm({ os, arch }: Platform, origin: string): Promise<ReleaseFile> {
  const url = `${origin}/helm-v${HELM_VERSION}-${os}-${arch}.tar.gz`;
  const [checksum = ''] = (await lookUp(`${url}.sha256sum`)).trim().split(/\s/);
  return { url, algorithm: 'sha256', checksum, binaries: ['helm'] };
}

async function findActionlint({ os, arch }: Platform, origin: string): Promise<ReleaseFile> {
  const name = `actionlint_${ACTIONLINT_VERSION}_${os}_${arch}.tar.gz`;
  const checksums = await lookUp(`${origin}/actionlint_${ACTIONLINT_VERSION}_checksums.txt`);
  const line = checksums.split('\n').find((candidate) => candidate.endsWith(`  ${name}`));
  if (line === undefined) throw new Error(`${origin} lists no ${name}`);
  const [checksum = ''] = line.split(' ');
  return { url: `${origin}/${name}`, algorithm: 'sha256', checksum, binaries: ['actionlint'] };
}

async function lookUp(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status} for ${new URL(url).pathname}`);
    return await response.text();
  } catch (error) {
    throw new Error(`${new URL(url).host}: ${describeError(error)}`, { cause: error });
  }
}

async function downloadFile(
  { url, algorithm }: ReleaseFile,
  target: string,
  onProgress: (bytes: number, size: number | undefined) => void,
): Promise<string> {
  const abort = new AbortController();
  const stalled = new Error(`${url}: nothing received for ${STALL_TIMEOUT_MS / 1000} s`);
  const watchdog = setTimeout(() => abort.abort(stalled), STALL_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || response.body === null) throw new Error(`${url}: HTTP ${response.status}`);
    const size = Number(response.headers.get('content-length')) || undefined;
    const hash = createHash(algorithm);
    let bytes = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        watchdog.refresh();
        hash.update(chunk);
        bytes += chunk.length;
        onProgress(bytes, size);
        next(undefined, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(target));
    return hash.digest('hex');
  } finally {
    clearTimeout(watchdog);
  }
}

/** The archives keep their binaries in some folder; where is not our business. */
async function extract(archive: string, folder: string, { url, binaries }: ReleaseFile): Promise<void> {
  await run('tar', ['-xzf', archive, '-C', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const binary of binaries) {
    const entry = entries.find((candidate) => candidate.isFile() && candidate.name === binary);
    if (entry === undefined) throw new Error(`${url} holds no ${binary}`);
    await rename(join(entry.parentPath, binary), join(folder, binary));
  }
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** `fetch failed` alone tells nobody anything; the reason is in the cause. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${LOOKUP_TIMEOUT_MS / 1000} s`;
  return error.cause instanceof Error && error.message === 'fetch failed' ? error.cause.message : error.message;
}
