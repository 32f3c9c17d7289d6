import { expect, test } from 'vitest';
import { withDefaults } from './with-defaults.ts';

const DEFAULTS = { spec: { color: 'blue', tags: ['a'], size: { width: 1, height: 2 } } };

test.each<[name: string, draft: object, want: object]>([
  ['what is missing', { spec: { size: {} } }, DEFAULTS],
  ['null', { spec: { color: null, tags: null, size: { width: null } } }, DEFAULTS],
  [
    'nothing that has a value',
    { a: 1, spec: { color: '', tags: [], size: { width: 0, depth: 3 } } },
    { a: 1, spec: { color: '', tags: [], size: { width: 0, height: 2, depth: 3 } } },
  ],
  ['nothing of what has a wrong type', { spec: 5 }, { spec: 5 }],
  ['nothing of what is a list', { spec: ['x'] }, { spec: ['x'] }],
  ['no object that is missing', {}, {}],
  ['no object that is null', { spec: null }, { spec: undefined }],
])('fills in %s', (_, draft, want) => {
  expect(withDefaults(draft, DEFAULTS)).toEqual(want);
});

test('leaves the draft as it is', () => {
  const draft = Object.freeze({ spec: Object.freeze({ size: Object.freeze({}) }) });
  withDefaults(draft, DEFAULTS);
  expect(draft).toEqual({ spec: { size: {} } });
});
