import { expect, test } from 'vitest';
import type { BundledPackage } from './bundled-packages.ts';
import { findLicenceProblems, formatThirdPartyLicences } from './licences.ts';

const GOOD: BundledPackage = {
  name: 'good',
  version: '1.0.0',
  licence: 'MIT',
  dependencies: [],
  texts: [{ path: 'LICENSE', text: 'Permission is granted' }],
};

test.each<[string, Partial<BundledPackage>, string]>([
  ['no licence', { licence: undefined }, 'good@1.0.0 is bundled, but its package.json has no licence'],
  [
    'a licence that is not allowed',
    { licence: 'GPL-3.0-only' },
    'good@1.0.0 is bundled, but its licence GPL-3.0-only is not allowed in hack/supply-chain/licences.ts',
  ],
  [
    'a choice of licences',
    { licence: '(MIT OR GPL-3.0-only)' },
    'good@1.0.0 is bundled, but its licence (MIT OR GPL-3.0-only) is not allowed in hack/supply-chain/licences.ts',
  ],
  ['no licence text', { texts: [] }, 'good@1.0.0 is bundled, but has no file with the text of its licence'],
])('rejects a package with %s, and writes no file', (_name, change, want) => {
  expect(findLicenceProblems([GOOD])).toEqual([]);
  const packages = [{ ...GOOD, ...change }];
  expect(findLicenceProblems(packages)).toEqual([want]);
  expect(() => formatThirdPartyLicences('manager.mjs', packages)).toThrow(want);
});
