import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBrokenLinks } from '../../hack/docs/links.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** Parts of generated pages: their links are relative to those pages. */
const PARTS = ':!hack/docs/';
const pages = execFileSync('git', ['ls-files', '*.md', PARTS], { cwd: PROJECT, encoding: 'utf8' }).trim().split('\n');

test('finds pages', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/architecture.md', 'runtime/README.md']));
});

test.each(pages)('%s has no broken link', (page) => {
  expect(findBrokenLinks(join(PROJECT, page))).toEqual([]);
});

test('a link is broken without its file, or without its heading', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'other.md'), '# Other\n\n## A `word`\n\n## A word\n\n```sh\n# no heading\n```\n');
  const validLinks = '[a](other.md) [b](other.md#a-word) [c](other.md#a-word-1) [d](#page) [e](https://example.org/x)';
  const brokenLinks = '[f](absent.md) [g](other.md#no-heading) [h](#other)';
  writeFileSync(
    join(folder, 'page.md'),
    `# Page\n\n${validLinks}\n\n${brokenLinks}\n\n\`[i](absent.md)\`\n\n[j]: other.md#a-word\n[k]: absent.md\n`,
  );
  expect(findBrokenLinks(join(folder, 'page.md'))).toEqual([
    '](absent.md)',
    '](other.md#no-heading)',
    '](#other)',
    '[k]: absent.md',
  ]);
});
