import { expect, test } from 'vitest';
import { publishedManifest } from './published-manifest.ts';

const MANIFEST = { name: 'p', version: '1.0.0', private: true, exports: { '.': './index.ts' } };

test('exports lead to JavaScript with its types, and nothing is private to this repository', () => {
  const manifest = {
    ...MANIFEST,
    license: 'MIT',
    scripts: { test: 'true' },
    dependencies: { a: '1.0.0' },
    devDependencies: { b: '1.0.0' },
    exports: { '.': './index.ts', './testing': './testing/index.ts' },
  };
  expect(publishedManifest(manifest)).toEqual({
    name: 'p',
    version: '1.0.0',
    license: 'MIT',
    dependencies: { a: '1.0.0' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './testing': { types: './testing/index.d.ts', default: './testing/index.js' },
      './package.json': './package.json',
    },
  });
});

test.each(['./index.js', './index.d.ts', 'index.ts', '../index.ts'])('an export of %s is refused', (source) => {
  expect(() => publishedManifest({ ...MANIFEST, exports: { '.': source } })).toThrow(source);
});
