import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifestYaml } from './manifest-yaml.ts';

const shared = { type: 'string' };
const manifest = { kind: 'Widget', on: ['y', 'True', '1e3'], first: shared, second: shared, text: 'a'.repeat(200) };

test.each(['1.1', '1.2'] as const)('parses to the same value as YAML %s', (version) => {
  expect(parse(manifestYaml([manifest]), { version })).toEqual(manifest);
});

test('starts each document with ---, and uses no aliases', () => {
  const text = manifestYaml([manifest, { kind: 'Rack' }]);
  expect(text).toMatch(/^---\n/);
  expect(text).not.toMatch(/[&*]\w/);
  expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual([manifest, { kind: 'Rack' }]);
});

test('does not depend on the order of keys with isSorted', () => {
  const { kind, ...rest } = manifest;
  const isSorted = true;
  expect(manifestYaml([{ ...rest, kind }], { isSorted })).toBe(manifestYaml([manifest], { isSorted }));
  expect(manifestYaml([{ ...rest, kind }])).not.toBe(manifestYaml([manifest]));
});
