import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIBRARIES } from '../../hack/packages/pack-package.ts';
import { type PackagePage, readPages } from '../../hack/packages/pages.ts';
import { createPublishedManifest, type PackageManifest } from '../../hack/packages/published-manifest.ts';
import { parseBlocks } from './page-blocks.ts';

const PROJECT = join(import.meta.dirname, '../..');
const WORDS = /^(?:fragment|file=\S+|test=(?:run|install|operator|refused|none))$/;

const pages = [...LIBRARIES, 'create-controller-runtime'].flatMap((folder) =>
  readPages(folder).map((page) => ({ folder, ...page })),
);

describe.each(pages)('$folder/$path', ({ text }) => {
  test('marks each block with a known test instruction', () => {
    const unknown = parseBlocks(text).flatMap(({ line, words }) =>
      words.filter((word) => !WORDS.test(word)).map((word) => `${line}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('the README of controller-runtime lists each page and each exported subpath', () => {
  const readme = readPages('runtime').find(({ path }) => path === 'README.md')?.text ?? '';
  const linked = readPages('runtime').filter(({ path }: PackagePage) => readme.includes(`](${path})`));
  expect(linked.map(({ path }) => path)).toEqual(
    readPages('runtime')
      .map(({ path }) => path)
      .filter((path) => path !== 'README.md'),
  );
  const { exports } = createPublishedManifest(JSON.parse(readFileSync(join(PROJECT, 'runtime/package.json'), 'utf8')), {
    folder: 'runtime',
  }) as PackageManifest;
  const rows = [...readme.matchAll(/^\| `(controller-runtime\S*)` +\|/gm)].map(([, name = '']) =>
    name.replace('controller-runtime', '.'),
  );
  expect([...rows, './package.json']).toEqual(Object.keys(exports));
});
