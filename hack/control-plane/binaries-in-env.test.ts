import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { findBinariesInEnv } from './binaries-in-env.ts';
import { API_SERVER_BINARIES, CLUSTER_BINARIES } from './versions.ts';

function createFolderWith(...binaries: string[]): string {
  const folder = createTemporaryFolder();
  for (const binary of binaries) writeFileSync(join(folder, binary), '', { mode: 0o755 });
  return folder;
}

test('ignores a KUBEBUILDER_ASSETS that lacks a binary, and names the binary', () => {
  const folder = createFolderWith(...API_SERVER_BINARIES);
  expect(findBinariesInEnv(CLUSTER_BINARIES, { KUBEBUILDER_ASSETS: folder })).toEqual({
    paths: new Map(),
    missingInEnv: CLUSTER_BINARIES,
    note: `KUBEBUILDER_ASSETS=${folder} does not contain kube-controller-manager, kwok: ignored`,
  });
});

test('a TEST_ASSET variable takes precedence over the folder', () => {
  const folder = createFolderWith('etcd', 'kubectl');
  const other = join(createFolderWith('kube-apiserver'), 'kube-apiserver');
  const env = { KUBEBUILDER_ASSETS: folder, TEST_ASSET_KUBE_APISERVER: other };
  const { paths, missingInEnv } = findBinariesInEnv(API_SERVER_BINARIES, env);
  expect(paths.get('kube-apiserver')).toBe(other);
  expect(paths.get('etcd')).toBe(join(folder, 'etcd'));
  expect(missingInEnv).toEqual([]);
});

test('rejects a TEST_ASSET variable with a file that is not executable', () => {
  const file = join(createFolderWith('etcd'), 'etcd');
  chmodSync(file, 0o644);
  const env = { TEST_ASSET_ETCD: file };
  expect(() => findBinariesInEnv(['etcd'], env)).toThrow(`TEST_ASSET_ETCD=${file}: not an executable file`);
});

test('HELM and ACTIONLINT set tools, KUBEBUILDER_ASSETS does not', () => {
  const helm = join(createFolderWith('helm'), 'helm');
  const env = { HELM: helm, KUBEBUILDER_ASSETS: '/nowhere' };
  expect(findBinariesInEnv(['helm'], env)).toEqual({ paths: new Map([['helm', helm]]), missingInEnv: [] });
  expect(findBinariesInEnv(['actionlint'], env)).toEqual({ paths: new Map(), missingInEnv: ['actionlint'] });
});
