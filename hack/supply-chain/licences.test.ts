import { expect, test } from 'vitest';
import type { BundledPackage } from './bundled-packages.ts';
import { licenceFaults, thirdPartyLicences } from './licences.ts';

const GOOD: BundledPackage = {
  name: 'good',
  version: '1.0.0',
  licence: 'MIT',
  dependencies: [],
  texts: [
    { path: 'LICENSE', text: 'Permission is granted' },
    { path: 'NOTICE', text: 'By somebody' },
  ],
};

test('a package with an allowed licence and its text has no fault', () => {
  expect(licenceFaults([GOOD])).toEqual([]);
});

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
  const packages = [{ ...GOOD, ...change }];
  expect(licenceFaults(packages)).toEqual([want]);
  expect(() => thirdPartyLicences('manager.mjs', packages)).toThrow(want);
});

test('the file has every text below the name of its package', () => {
  const other = { ...GOOD, name: 'other', licence: 'ISC', texts: [{ path: 'license', text: 'Use it' }] };
  const rule = '-'.repeat(80);
  expect(
    thirdPartyLicences('manager.mjs', [GOOD, other]),
  ).toBe(`manager.mjs contains code of the packages below, under these licences.

${rule}
good 1.0.0
Licence: MIT
${rule}

[LICENSE]

Permission is granted

[NOTICE]

By somebody


${rule}
other 1.0.0
Licence: ISC
${rule}

[license]

Use it
`);
});
