import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ACTIONLINT_VERSION } from '../control-plane/versions.ts';
import { provisionActionlint } from './provision-actionlint.ts';
import { notCheckedReason } from './verdict.ts';

function executable(folder: string): string {
  const path = join(folder, 'actionlint');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return path;
}

test('actionlint is the one that ACTIONLINT names', async () => {
  const path = executable(temporaryFolder());
  expect(await provisionActionlint({ env: { ACTIONLINT: path } })).toEqual({ kind: 'ready', path });
});

test('else the one in the cache folder of this version', async () => {
  const cache = temporaryFolder();
  const path = executable(join(cache, `actionlint-${ACTIONLINT_VERSION}`));
  expect(await provisionActionlint({ env: { CONTROL_PLANE_CACHE: cache } })).toEqual({ kind: 'ready', path });
});

test('without one and without Go it is missing, which says why and fails nothing', async () => {
  const env = { PATH: temporaryFolder(), CONTROL_PLANE_CACHE: temporaryFolder() };
  expect(await provisionActionlint({ env })).toEqual({
    kind: 'missing',
    reason: expect.stringMatching(/^no actionlint here: Go is not installed/),
  });
});

test('a check that was not made is told from one that passed', () => {
  expect(notCheckedReason('12 files\nnot checked: nobody answers\n')).toBe('nobody answers');
  expect(notCheckedReason('12 files checked\n')).toBeUndefined();
});
