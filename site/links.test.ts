import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resolveLink } from './links.ts';
import { buildSidebar, listPages, REPOSITORY_ROOT, toSlug } from './pages.ts';

const site = { base: '/operator/', repository: undefined, revision: 'v1.2.0' };
const published = { ...site, repository: 'https://forge.example/team/operator' };

test.each([
  ['docs/install.md', 'webhooks.md#certificates', '/operator/webhooks/#certificates'],
  ['docs/install.md', '../README.md', '/operator/'],
  ['docs/install.md', '../README.md#use-it', '/operator/#use-it'],
  ['docs/install.md', 'adr', '/operator/adr/'],
  ['README.md', 'docs/adr/README.md', '/operator/adr/'],
  ['runtime/README.md', 'docs/kinds.md', '/operator/runtime/kinds/'],
  ['docs/install.md', '#helm', '#helm'],
  ['docs/install.md', 'https://kubernetes.io/docs/', 'https://kubernetes.io/docs/'],
])('%s: the link %s leads to %s', (page, link, want) => {
  expect(resolveLink(page, link, site)).toBe(want);
});

test('a link to a source file leads to the version in the repository, or is text without a repository', () => {
  const resolve = (link: string) => resolveLink('docs/architecture.md', link, published);
  expect(resolve('../cmd/main.ts#L3')).toBe('https://forge.example/team/operator/blob/v1.2.0/cmd/main.ts#L3');
  expect(resolve('../cmd')).toBe('https://forge.example/team/operator/tree/v1.2.0/cmd');
  expect(resolveLink('docs/architecture.md', '../cmd/main.ts', site)).toBeUndefined();
});

test('each page of the documentation has an address of its own and a place in the sidebar', () => {
  const pages = listPages();
  expect(new Set(pages.map(toSlug)).size).toBe(pages.length);
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/install.md', 'runtime/docs/kinds.md']));
  expect(JSON.stringify(buildSidebar())).toContain('{"slug":"kubectl-tcj/why"}');
});

test('the site has each page at the root of the repository, except for the licences', () => {
  const pages = globSync('*.md', { cwd: REPOSITORY_ROOT }).filter((file) => file !== 'THIRD_PARTY.md');
  expect(listPages()).toEqual(expect.arrayContaining(pages));
});
