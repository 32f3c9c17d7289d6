import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Answers, serveFiles } from '../../test/support/file-server.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { downloadRelease, findReleases, type Origins, type ReleaseFile } from './download.ts';
import { run } from './run.ts';
import {
  ACTIONLINT_VERSION,
  API_SERVER_BINARIES,
  CLUSTER_BINARIES,
  HELM_VERSION,
  KUBERNETES_VERSION,
} from './versions.ts';

const PLATFORM = { os: 'linux', arch: 'amd64' };

async function serve(answers: Answers): Promise<{ url: string; origins: Origins }> {
  const url = await serveFiles(answers);
  return {
    url,
    origins: {
      envtestIndex: `${url}/index.yaml`,
      kubernetes: url,
      kwokRelease: `${url}/kwok`,
      helm: url,
      actionlint: url,
    },
  };
}

function hash(algorithm: string, content: string | Buffer): string {
  return createHash(algorithm).update(content).digest('hex');
}

const INDEX = `
releases:
  v1.36.0: { envtest-v1.36.0-linux-amd64.tar.gz: { hash: aa, selfLink: 'https://example.test/1.36.0.tar.gz' } }
  v1.36.2: { envtest-v1.36.2-linux-amd64.tar.gz: { hash: bb, selfLink: 'https://example.test/1.36.2.tar.gz' } }
  v1.36.99: { envtest-v1.36.99-linux-amd64.tar.gz: { hash: cc, selfLink: 'https://example.test/1.36.99.tar.gz' } }
  v1.37.0: { envtest-v1.37.0-linux-amd64.tar.gz: { hash: dd, selfLink: 'https://example.test/1.37.0.tar.gz' } }
`;

test('finds a file with its checksum for every binary', async () => {
  const manager = `/v${KUBERNETES_VERSION}/bin/linux/amd64/kube-controller-manager`;
  const asset = { name: 'kwok-linux-amd64', digest: 'sha256:ee', browser_download_url: 'https://example.test/kwok' };
  const { url, origins } = await serve({
    '/index.yaml': INDEX,
    [`${manager}.sha512`]: 'ff  kube-controller-manager\n',
    '/kwok': JSON.stringify({ assets: [{ name: 'kwok-darwin-arm64' }, asset] }),
  });
  await expect(findReleases(CLUSTER_BINARIES, PLATFORM, origins)).resolves.toEqual({
    files: [
      { url: 'https://example.test/1.36.2.tar.gz', algorithm: 'sha512', checksum: 'bb', binaries: API_SERVER_BINARIES },
      { url: `${url}${manager}`, algorithm: 'sha512', checksum: 'ff', binaries: ['kube-controller-manager'] },
      { url: 'https://example.test/kwok', algorithm: 'sha256', checksum: 'ee', binaries: ['kwok'] },
    ],
    problems: [],
  });
});

test('finds helm where its checksum is', async () => {
  const archive = `/helm-v${HELM_VERSION}-linux-amd64.tar.gz`;
  const { url, origins } = await serve({ [`${archive}.sha256sum`]: 'aa  helm.tar.gz\n' });
  await expect(findReleases(['helm'], PLATFORM, origins)).resolves.toEqual({
    files: [{ url: `${url}${archive}`, algorithm: 'sha256', checksum: 'aa', binaries: ['helm'] }],
    problems: [],
  });
});

test('finds actionlint in the list of checksums of its release', async () => {
  const archive = `actionlint_${ACTIONLINT_VERSION}_linux_amd64.tar.gz`;
  const list = `aa  actionlint_${ACTIONLINT_VERSION}_linux_arm64.tar.gz\nbb  ${archive}\n`;
  const { url, origins } = await serve({ [`/actionlint_${ACTIONLINT_VERSION}_checksums.txt`]: list });
  await expect(findReleases(['actionlint'], PLATFORM, origins)).resolves.toEqual({
    files: [{ url: `${url}/${archive}`, algorithm: 'sha256', checksum: 'bb', binaries: ['actionlint'] }],
    problems: [],
  });
});

test('what only a real node needs is a file each, for Linux alone', async () => {
  const folder = `/v${KUBERNETES_VERSION}/bin/linux/amd64`;
  const binaries = ['kube-scheduler', 'kubelet', 'kube-proxy'] as const;
  const { url, origins } = await serve(
    Object.fromEntries(binaries.map((binary) => [`${folder}/${binary}.sha512`, `hash-of-${binary}\n`])),
  );
  const files = binaries.map((binary) => ({
    url: `${url}${folder}/${binary}`,
    algorithm: 'sha512',
    checksum: `hash-of-${binary}`,
    binaries: [binary],
  }));
  await expect(findReleases(binaries, PLATFORM, origins)).resolves.toEqual({ files, problems: [] });
  await expect(findReleases(['kubelet'], { os: 'darwin', arch: 'arm64' }, origins)).resolves.toEqual({
    files: [],
    problems: ['kubelet is not published for darwin'],
  });
});

test('asks only about what is wanted', async () => {
  const { origins } = await serve({ '/index.yaml': INDEX });
  const { files, problems } = await findReleases(['kubectl'], PLATFORM, origins);
  expect(files).toEqual([expect.objectContaining({ binaries: ['kubectl'] })]);
  expect(problems).toEqual([]);
});

test('says what stands in the way, and finds the rest', async () => {
  const { url, origins } = await serve({ '/index.yaml': INDEX, '/kwok': '{}' });
  const { files, problems } = await findReleases(CLUSTER_BINARIES, PLATFORM, origins);
  expect(files).toHaveLength(1);
  expect(problems).toEqual([
    expect.stringContaining(`HTTP 404 for /v${KUBERNETES_VERSION}/bin/linux/amd64/kube-controller-manager.sha512`),
    `${url}/kwok lists no kwok-linux-amd64 with a digest`,
  ]);
});

test('an unreachable origin is a problem in words', async () => {
  const origins = {
    envtestIndex: 'http://127.0.0.1:1/',
    kubernetes: 'http://127.0.0.1:1',
    kwokRelease: 'http://127.0.0.1:1/',
    helm: 'http://127.0.0.1:1',
    actionlint: 'http://127.0.0.1:1',
  };
  const { files, problems } = await findReleases(CLUSTER_BINARIES, PLATFORM, origins);
  expect(files).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/^127\.0\.0\.1:1: .+/)]);
});

test('leaves a verified binary, executable', async () => {
  const { url } = await serve({ '/kwok': 'binary' });
  const folder = temporaryFolder();
  const file: ReleaseFile = {
    url: `${url}/kwok`,
    algorithm: 'sha256',
    checksum: hash('sha256', 'binary'),
    binaries: ['kwok'],
  };
  const heard: unknown[] = [];
  await downloadRelease(file, folder, (...progress) => heard.push(progress));
  expect(readFileSync(join(folder, 'kwok'), 'utf8')).toBe('binary');
  expect(statSync(join(folder, 'kwok')).mode & 0o777).toBe(0o755);
  expect(heard).toEqual([[6, 6]]);
});

test('takes the binaries out of an archive, wherever they lie in it', async () => {
  const source = temporaryFolder();
  mkdirSync(join(source, 'controller-tools/envtest'), { recursive: true });
  for (const binary of API_SERVER_BINARIES) writeFileSync(join(source, 'controller-tools/envtest', binary), binary);
  await run('tar', ['-czf', join(source, 'a.tar.gz'), '-C', source, 'controller-tools']);
  const archive = readFileSync(join(source, 'a.tar.gz'));
  const { url } = await serve({ '/a.tar.gz': archive });
  const folder = temporaryFolder();
  const checksum = hash('sha512', archive);
  await downloadRelease(
    { url: `${url}/a.tar.gz`, algorithm: 'sha512', checksum, binaries: ['etcd', 'kubectl'] },
    folder,
    () => undefined,
  );
  expect(readFileSync(join(folder, 'etcd'), 'utf8')).toBe('etcd');
  expect(readFileSync(join(folder, 'kubectl'), 'utf8')).toBe('kubectl');
});

test('refuses a file with another checksum', async () => {
  const { url } = await serve({ '/kwok': 'tampered' });
  const folder = temporaryFolder();
  const file: ReleaseFile = {
    url: `${url}/kwok`,
    algorithm: 'sha256',
    checksum: hash('sha256', 'binary'),
    binaries: ['kwok'],
  };
  await expect(downloadRelease(file, folder, () => undefined)).rejects.toThrow(
    `sha256 is ${hash('sha256', 'tampered')}`,
  );
  expect(readdirSync(folder)).not.toContain('kwok');
});
