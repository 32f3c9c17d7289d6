import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { install } from './install.ts';
import { Progress } from './progress.ts';
import { run } from './run.ts';
import { API_SERVER_BINARIES, type Binary, HELM_VERSION, KUBERNETES_VERSION, KWOK_VERSION } from './versions.ts';

/** A Go that "builds" by writing a file. */
const GO = 'while [ "$1" != -o ]; do shift; done; echo built > "$2"; chmod +x "$2"';
const FILES = 'https://files.test';
const KWOK = `https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v${KWOK_VERSION}`;

/** A machine with that Go, and an internet that serves only these files. */
function createMachine(internet: Readonly<Record<string, string | Buffer>>, go?: string) {
  vi.stubGlobal('fetch', async (url: string) => new Response(internet[url], { status: url in internet ? 200 : 404 }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const [bin, cache] = [createTemporaryFolder(), createTemporaryFolder()];
  if (go !== undefined) writeFileSync(join(bin, 'go'), `#!/bin/sh\n${go}\n`, { mode: 0o755 });
  const output: string[] = [];
  const runInstall = (...binaries: readonly Binary[]) =>
    install({
      paths: Object.fromEntries(binaries.map((binary) => [binary, join(cache, 'in', binary)])),
      cache,
      env: { PATH: [bin, '/usr/bin', '/bin'].join(delimiter) },
      platform: { os: 'linux', arch: 'amd64' },
      progress: new Progress({ write: (text) => output.push(text) }),
    });
  return {
    cache,
    installed: runInstall,
    content: (binary: Binary) => readFileSync(join(cache, 'in', binary), 'utf8'),
    output,
  };
}

function computeChecksum(algorithm: string, content: string | Buffer): string {
  return createHash(algorithm).update(content).digest('hex');
}

function createKwokRelease(digest: string): string {
  return JSON.stringify({
    assets: [{ name: 'kwok-linux-amd64', digest: `sha256:${digest}`, browser_download_url: `${FILES}/kwok` }],
  });
}

/** An archive with a file for each name, in some folder. */
async function createArchive(...names: readonly string[]): Promise<Buffer> {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'some/folder'), { recursive: true });
  for (const name of names) writeFileSync(join(folder, 'some/folder', name), `the ${name}`);
  await run('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'some']);
  return readFileSync(join(folder, 'a.tar.gz'));
}

test('downloads files and archives with a matching checksum', async () => {
  const [envtest, helm] = [await createArchive(...API_SERVER_BINARIES), await createArchive('helm')];
  const manager = `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/linux/amd64/kube-controller-manager`;
  const helmUrl = `https://get.helm.sh/helm-v${HELM_VERSION}-linux-amd64.tar.gz`;
  const release = (version: string, hash: string) =>
    `v${version}: { envtest-v${version}-linux-amd64.tar.gz: { hash: ${hash}, selfLink: '${FILES}/${version}.tar.gz' } }`;
  const { cache, installed, content } = createMachine({
    'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml': [
      'releases:',
      // The newest patch that is not above our version.
      ...[release('1.36.0', 'aa'), release('1.36.2', computeChecksum('sha512', envtest)), release('1.36.99', 'bb')],
    ].join('\n  '),
    [`${FILES}/1.36.2.tar.gz`]: envtest,
    [manager]: 'the manager',
    [`${manager}.sha512`]: computeChecksum('sha512', 'the manager'),
    [KWOK]: createKwokRelease(computeChecksum('sha256', 'the kwok')),
    [`${FILES}/kwok`]: 'the kwok',
    [helmUrl]: helm,
    [`${helmUrl}.sha256sum`]: `${computeChecksum('sha256', helm)}  helm.tar.gz\n`,
  });
  mkdirSync(join(cache, 'partial-of-a-killed-run'));
  const binaries = [...API_SERVER_BINARIES, 'kube-controller-manager', 'kwok', 'helm'] as const;
  await installed(...binaries);
  expect(binaries.map(content)).toEqual([
    ...['the etcd', 'the kube-apiserver', 'the kubectl'],
    ...['the manager', 'the kwok', 'the helm'],
  ]);
  expect(statSync(join(cache, 'in/kwok')).mode & 0o777).toBe(0o755);
  expect(readdirSync(cache).toSorted()).toEqual(['in', 'install.lock']);
});

test('builds a binary without a download or with a wrong checksum', async () => {
  const { installed, content, output } = createMachine(
    { [KWOK]: createKwokRelease('00'.repeat(32)), [`${FILES}/kwok`]: 'tampered' },
    GO,
  );
  await installed('kwok', 'etcd', 'krew');
  expect([content('kwok'), content('etcd'), content('krew')]).toEqual(['built\n', 'built\n', 'built\n']);
  expect(output.join('')).toMatch(/✗ downloading kwok .*: the checksum is \w+, expected 00/);
});

test.each([
  ['without Go', undefined, 'spawn go ENOENT'],
  ['when the build fails', 'echo "x.go:1: no luck" >&2; exit 1', 'x.go:1: no luck'],
])('says what to do %s', async (_, go, reason) => {
  const { cache, installed } = createMachine({}, go);
  const message = await installed('kwok').catch((error: Error) => error.message);
  for (const part of ['Cannot get kwok.', `${KWOK}: HTTP 404`, reason, 'https://go.dev/dl/', 'KUBEBUILDER_ASSETS']) {
    expect(message).toContain(part);
  }
  expect(readdirSync(cache)).toEqual(['install.lock']);
});
