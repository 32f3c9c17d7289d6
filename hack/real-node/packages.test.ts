import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Progress } from '../control-plane/progress.ts';
import { installPackages, missingPackages, networkPluginFolder } from './packages.ts';

const PROGRAMS = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'nft', 'busybox', 'ip', 'unshare', 'nsenter'];
const PLUGINS = ['bridge', 'host-local', 'loopback'];

function folderWith(names: readonly string[], script = ''): string {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

test('nothing is missing when every program is somewhere on the PATH', () => {
  const path = [folderWith(PROGRAMS.slice(0, 4)), folderWith(PROGRAMS.slice(4))].join(delimiter);
  expect(missingPackages(path, [folderWith(PLUGINS)])).toEqual([]);
});

test('names the package of each program that is missing', () => {
  const without = (program: string) => folderWith(PROGRAMS.filter((name) => name !== program));
  expect(missingPackages(without('runc'), [folderWith(PLUGINS)])).toEqual(['containerd']);
  expect(missingPackages(without('nft'), [folderWith(PLUGINS)])).toEqual(['nftables']);
  expect(missingPackages(without('nsenter'), [folderWith(PLUGINS)])).toEqual(['util-linux']);
});

test('the network plugins count where all of them are', () => {
  const part = folderWith(['bridge']);
  const all = folderWith(PLUGINS);
  expect(networkPluginFolder([part, all])).toBe(all);
  expect(missingPackages(folderWith(PROGRAMS), [part])).toEqual(['containernetworking-plugins']);
});

test('installs with apt-get what is missing, and says so', async () => {
  const calls = join(temporaryFolder(), 'calls');
  const bin = folderWith(['apt-get'], `echo "$DEBIAN_FRONTEND $*" >>'${calls}'`);
  const said: string[] = [];
  await installPackages(['nftables'], new Progress({ write: (text) => said.push(text) }), { PATH: bin });
  expect(readFileSync(calls, 'utf8').split('\n')).toEqual([
    'noninteractive update --quiet',
    expect.stringMatching(/^noninteractive install (?=.*--no-remove ).*--no-install-recommends .*nftables$/),
    '',
  ]);
  expect(said.join('')).toContain('✓ installing nftables with apt-get');
});

test('an apt-get that fails is heard', async () => {
  const bin = folderWith(['apt-get'], 'echo "E: no luck" >&2; exit 100');
  const progress = new Progress({ write: () => undefined });
  await expect(installPackages(['nftables'], progress, { PATH: bin })).rejects.toThrow('E: no luck');
});

test('asks apt-get for nothing when nothing is missing', async () => {
  await expect(installPackages([], new Progress({ write: () => undefined }), { PATH: '' })).resolves.toBeUndefined();
});
