import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { serveFiles } from '../../test/support/file-server.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type InstallOptions, install } from './install.ts';
import { Progress } from './progress.ts';

const NOWHERE = 'http://127.0.0.1:1';
const ORIGINS = {
  envtestIndex: NOWHERE,
  kubernetes: NOWHERE,
  kwokRelease: NOWHERE,
  helm: NOWHERE,
  actionlint: NOWHERE,
};

/** Options of a machine with these programs on its PATH, and what it said. */
function machine(programs: Record<string, string> = {}) {
  const bin = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const folder = temporaryFolder();
  const said: string[] = [];
  const options: InstallOptions = {
    folder,
    env: { PATH: Object.keys(programs).length > 0 ? [bin, '/usr/bin', '/bin'].join(delimiter) : bin },
    platform: { os: 'linux', arch: 'amd64' },
    progress: new Progress({ write: (text) => said.push(text) }),
    origins: ORIGINS,
  };
  return { folder, options, said: () => said.join('') };
}

/** A Go that "builds" by writing its own name for the program. */
const GO = `
case $1 in
  env) echo go1.26.0 ;;
  build) while [ "$1" != -o ]; do shift; done; echo built > "$2"; chmod +x "$2"; echo example.test/package >&2 ;;
esac`;

/** What is in the folder besides the lock. */
function installedIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('install.lock'));
}

test('downloads what is released', async () => {
  const { folder, options } = machine();
  const digest = createHash('sha256').update('kwok itself').digest('hex');
  const files = await serveFiles({ '/file': 'kwok itself' });
  const asset = { name: 'kwok-linux-amd64', digest: `sha256:${digest}`, browser_download_url: `${files}/file` };
  const release = await serveFiles({ '/release': JSON.stringify({ assets: [asset] }) });
  await install(['kwok'], {
    ...options,
    origins: { ...ORIGINS, kwokRelease: `${release}/release` },
  });
  expect(readFileSync(join(folder, 'kwok'), 'utf8')).toBe('kwok itself');
  expect(installedIn(folder)).toEqual(['kwok']);
});

test('builds what cannot be downloaded', async () => {
  const { folder, options, said } = machine({ go: GO });
  await install(['kwok', 'etcd'], options);
  expect(installedIn(folder)).toEqual(['etcd', 'kwok']);
  expect(said()).toMatch(/✗ looking for official releases .*127\.0\.0\.1:1: /);
  expect(said()).toMatch(/✓ building etcd \(2 of 2\)/);
});

test('a download with a wrong checksum is dropped, and built instead', async () => {
  const { folder, options, said } = machine({ go: GO });
  const files = await serveFiles({ '/file': 'tampered' });
  const asset = { name: 'kwok-linux-amd64', digest: 'sha256:00', browser_download_url: `${files}/file` };
  const release = await serveFiles({ '/release': JSON.stringify({ assets: [asset] }) });
  await install(['kwok'], {
    ...options,
    origins: { ...ORIGINS, kwokRelease: `${release}/release` },
  });
  expect(readFileSync(join(folder, 'kwok'), 'utf8')).toBe('built\n');
  expect(said()).toMatch(/✗ downloading kwok .*published is 00/);
});

test('without Go it says what to do', async () => {
  const { folder, options } = machine();
  await expect(install(['kwok'], options)).rejects.toThrow(
    /^No way to get kwok\.\n {2}Download: .+\n {2}Build: Go is not installed[\s\S]+https:\/\/go\.dev\/dl\/[\s\S]+KUBEBUILDER_ASSETS/,
  );
  expect(installedIn(folder)).toEqual([]);
});

test.each([
  ['an old Go', 'echo go1.20.3', 'Go 1.26 or newer is needed, this is go1.20.3'],
  ['a Go that may not fetch a newer one', 'echo "go: running go 1.24" >&2; exit 1', 'needed: go: running go 1.24'],
])('with %s it says so', async (_, go, want) => {
  const { options } = machine({ go });
  await expect(install(['kwok'], options)).rejects.toThrow(want);
});

test('a failed build shows what Go said', async () => {
  const { folder, options } = machine({
    go: 'case $1 in env) echo go1.26.0 ;; *) echo "x.go:1: no luck" >&2; exit 1 ;; esac',
  });
  await expect(install(['kwok'], options)).rejects.toThrow(/go build .+ failed:\nx\.go:1: no luck/);
  expect(installedIn(folder)).toEqual([]);
});

test('what a killed run left is removed', async () => {
  const { folder, options } = machine({ go: GO });
  mkdirSync(join(folder, 'partial-x'));
  await install(['kwok'], options);
  expect(installedIn(folder)).toEqual(['kwok']);
});
