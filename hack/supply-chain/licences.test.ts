import { expect, test } from 'vitest';
import type { BundledPackage } from './bundled-packages.ts';
import { licenceFaults, thirdPartyLicences } from './licences.ts';

const GOOD: BundledPackage = {
  name: 'good',
  version: '1.0.0',
  licence: 'MIT',
  dependencies: [],
  texts: [{ path: 'LICENSE', text: 'Permission is granted' }],
};

test.each<[string, Partial<BundledPackage>, string]>([
  ['no licence', { licence: undefined }, 'good@1.0.0 is bundled, and its package.json names no licence'],
  [
    'a licence that nobody has allowed',
    { licence: 'GPL-3.0-only' },
    'good@1.0.0 is bundled, and its licence GPL-3.0-only is not in the list in hack/supply-chain/licences.ts',
  ],
  [
    'a choice of licences, of which a person has to take one',
    { licence: '(MIT OR GPL-3.0-only)' },
    'good@1.0.0 is bundled, and its licence (MIT OR GPL-3.0-only) is not in the list in hack/supply-chain/licences.ts',
  ],
  ['no text', { texts: [] }, "good@1.0.0 is bundled, and has no file with its licence's text"],
])('a package with %s is refused with a sentence, and nothing is written', (_name, change, want) => {
  expect(licenceFaults([GOOD])).toEqual([]);
  const packages = [{ ...GOOD, ...change }];
  expect(licenceFaults(packages)).toEqual([want]);
  expect(() => thirdPartyLicences('manager.mjs', packages)).toThrow(want);
});
