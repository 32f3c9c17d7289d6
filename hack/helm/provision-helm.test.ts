import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { HELM_VERSION } from '../control-plane/versions.ts';
import { provisionHelm } from './provision-helm.ts';

/** An executable file of that name in a folder of its own. */
function executable(...path: readonly [string, ...string[]]): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder();
  const file = join(folder, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return { folder, file };
}

describe('helm is', () => {
  test('the one that HELM names', async () => {
    const { file } = executable('helm');
    expect(await provisionHelm({ env: { HELM: file } })).toBe(file);
  });

  test('the one in the cache folder of this version, when none is named', async () => {
    const { folder, file } = executable(`helm-${HELM_VERSION}`, 'helm');
    expect(await provisionHelm({ env: { HELM: '', CONTROL_PLANE_CACHE: folder } })).toBe(file);
  });

  test('never another than the one that HELM names', async () => {
    await expect(provisionHelm({ env: { HELM: '/nowhere/helm' } })).rejects.toThrow(
      'HELM=/nowhere/helm: no executable file there',
    );
  });
});
