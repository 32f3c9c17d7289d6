import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchor } from '../docs/markdown.ts';
import { blocksOf, type Page, pagesOf } from './page-blocks.ts';

const PROJECT = join(import.meta.dirname, '../..');
const WORDS = /^(?:fragment|file=\S+|test=(?:run|install|operator|refused))$/;

const pages = ['schedule', 'runtime'].flatMap((folder) => pagesOf(folder).map((page) => ({ folder, ...page })));

describe.each(pages)('$folder/$path', ({ folder, path, text }) => {
  test('has no link that leads nowhere', () => {
    const from = dirname(join(PROJECT, folder, path));
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)];
    const broken = links.filter(([, to = '', fragment]) => {
      const file = to === '' ? join(PROJECT, folder, path) : join(from, to);
      return !existsSync(file) || (fragment !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(fragment));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('says of each block what a test knows to do with it', () => {
    const unknown = blocksOf(text).flatMap(({ line, words }) =>
      words.filter((word) => !WORDS.test(word)).map((word) => `${line}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('the README of controller-runtime has each page, and each subpath that the package exports', () => {
  const readme = pagesOf('runtime').find(({ path }) => path === 'README.md')?.text ?? '';
  const linked = pagesOf('runtime').filter(({ path }: Page) => readme.includes(`](${path})`));
  expect(linked.map(({ path }) => path)).toEqual(
    pagesOf('runtime')
      .map(({ path }) => path)
      .filter((path) => path !== 'README.md'),
  );
  const { exports } = JSON.parse(readFileSync(join(PROJECT, 'runtime/package.json'), 'utf8'));
  const rows = [...readme.matchAll(/^\| `(controller-runtime\S*)` +\|/gm)].map(([, name = '']) =>
    name.replace('controller-runtime', '.'),
  );
  expect(rows).toEqual(expect.arrayContaining(Object.keys(exports)));
});

function anchorsOf(text: string): readonly string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    anchor(heading),
  );
}
