import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { givenAssets } from './given-assets.ts';
import { API_SERVER_BINARIES, CLUSTER_BINARIES } from './versions.ts';

function folderWith(...binaries: string[]): string {
  const folder = temporaryFolder();
  for (const binary of binaries) writeFileSync(join(folder, binary), '', { mode: 0o755 });
  return folder;
}

test('turns down a KUBEBUILDER_ASSETS that lacks a binary, and says which', () => {
  const folder = folderWith(...API_SERVER_BINARIES);
  expect(givenAssets(CLUSTER_BINARIES, { KUBEBUILDER_ASSETS: folder })).toEqual({
    paths: new Map(),
    remaining: CLUSTER_BINARIES,
    note: `KUBEBUILDER_ASSETS=${folder} has no kube-controller-manager, kwok: not used`,
  });
});

test('a TEST_ASSET variable wins over the folder', () => {
  const folder = folderWith('etcd', 'kubectl');
  const other = join(folderWith('kube-apiserver'), 'kube-apiserver');
  const env = { KUBEBUILDER_ASSETS: folder, TEST_ASSET_KUBE_APISERVER: other };
  const { paths, remaining } = givenAssets(API_SERVER_BINARIES, env);
  expect(paths.get('kube-apiserver')).toBe(other);
  expect(paths.get('etcd')).toBe(join(folder, 'etcd'));
  expect(remaining).toEqual([]);
});

test('refuses a TEST_ASSET variable that names no executable', () => {
  const file = join(folderWith('etcd'), 'etcd');
  chmodSync(file, 0o644);
  const env = { TEST_ASSET_ETCD: file };
  expect(() => givenAssets(['etcd'], env)).toThrow(`TEST_ASSET_ETCD=${file}: no executable file there`);
});

test('HELM and ACTIONLINT name tools, which KUBEBUILDER_ASSETS does not', () => {
  const helm = join(folderWith('helm'), 'helm');
  const env = { HELM: helm, KUBEBUILDER_ASSETS: '/nowhere' };
  expect(givenAssets(['helm'], env)).toEqual({ paths: new Map([['helm', helm]]), remaining: [] });
  expect(givenAssets(['actionlint'], env)).toEqual({ paths: new Map(), remaining: ['actionlint'] });
});
