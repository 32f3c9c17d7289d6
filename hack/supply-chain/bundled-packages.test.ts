import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { bundledPackages } from './bundled-packages.ts';

/** A folder with these files; what is no text is written as JSON. */
function project(files: Readonly<Record<string, string | object>>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const ROLLDOWN = { name: 'rolldown', version: '1.0.0', license: 'MIT' };

test('names each package of which a module is bundled once, with what it says of itself', () => {
  const folder = project({
    'node_modules/b/package.json': { name: 'b', version: '2.0.0', license: 'ISC', dependencies: { c: '1', a: '1' } },
    'node_modules/b/lib/y.js': '',
    'node_modules/b/LICENSE.md': 'may be used\r\nby all\n',
    'node_modules/@a/a/package.json': { name: '@a/a', version: '1.0.0' },
    'node_modules/not-bundled/package.json': { name: 'not-bundled', version: '1.0.0' },
  });
  const modules = ['cmd/main.ts', 'node_modules/b/x.js', 'node_modules/b/lib/y.js?commonjs', 'node_modules/@a/a/z.js'];
  expect(
    bundledPackages(
      modules.map((path) => join(folder, path)),
      '/nowhere',
    ),
  ).toEqual([
    { name: '@a/a', version: '1.0.0', licence: undefined, dependencies: [], texts: [] },
    {
      name: 'b',
      version: '2.0.0',
      licence: 'ISC',
      dependencies: ['a', 'c'],
      texts: [{ path: 'LICENSE.md', text: 'may be used\nby all' }],
    },
  ]);
});

test('a folder in a package with a package.json of its own belongs to the package', () => {
  const folder = project({
    'node_modules/a/package.json': { name: 'a', version: '1.0.0', license: 'MIT' },
    'node_modules/a/esm/package.json': { type: 'module' },
  });
  expect(bundledPackages([join(folder, 'node_modules/a/esm/index.js')], '/nowhere')).toMatchObject([{ name: 'a' }]);
});

test('a licence that lies beside a bundled part of a package comes along, one beside another part does not', () => {
  const folder = project({
    'node_modules/a/package.json': { name: 'a', version: '1.0.0', license: 'MIT' },
    'node_modules/a/LICENSE': 'of a',
    'node_modules/a/NOTICE': 'please note',
    'node_modules/a/license.js': 'code',
    'node_modules/a/lib/foreign/code/index.js': '',
    'node_modules/a/lib/foreign/LICENSE': 'of the foreign part',
    'node_modules/a/lib/unused/LICENSE': 'of another part',
  });
  const [found] = bundledPackages([join(folder, 'node_modules/a/lib/foreign/code/index.js')], '/nowhere');
  expect(found?.texts).toEqual([
    { path: 'LICENSE', text: 'of a' },
    { path: 'NOTICE', text: 'please note' },
    { path: 'lib/foreign/LICENSE', text: 'of the foreign part' },
  ]);
});

test('two versions of a package are two; one version at two places is one', () => {
  const folder = project({
    'node_modules/a/package.json': { name: 'a', version: '1.0.0' },
    'node_modules/b/node_modules/a/package.json': { name: 'a', version: '2.0.0' },
    'node_modules/c/node_modules/a/package.json': { name: 'a', version: '2.0.0' },
  });
  const modules = ['node_modules/a/x.js', 'node_modules/b/node_modules/a/x.js', 'node_modules/c/node_modules/a/x.js'];
  const found = bundledPackages(
    modules.map((path) => join(folder, path)),
    '/nowhere',
  );
  expect(found.map(({ name, version }) => `${name}@${version}`)).toEqual(['a@1.0.0', 'a@2.0.0']);
});

test('the helpers that rolldown writes into a bundle are code of rolldown; other made-up modules are ours', () => {
  const folder = project({ 'package.json': ROLLDOWN, LICENSE: 'of rolldown' });
  expect(bundledPackages(['\0rolldown/runtime.js', '\0small-undici'], folder)).toMatchObject([
    { name: 'rolldown', texts: [{ text: 'of rolldown' }] },
  ]);
});
