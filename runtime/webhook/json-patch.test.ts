import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPatch as apply } from '../testing/fake-api/patches.ts';
import { type JsonValue, jsonPatch, type PatchOperation } from './json-patch.ts';

const cases: readonly [name: string, from: JsonValue, to: JsonValue, want: readonly PatchOperation[]][] = [
  ['nothing when they are equal', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['nothing when only the order of keys differs', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['a field that is new', {}, { a: { b: 1 } }, [{ op: 'add', path: '/a', value: { b: 1 } }]],
  ['a field that is null at first', { a: null }, { a: 1 }, [{ op: 'replace', path: '/a', value: 1 }]],
  ['a field that becomes null', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
  ['a field that goes', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
  [
    'only what differs deep inside',
    { a: { b: 1, c: 2 } },
    { a: { b: 1, c: 3 } },
    [{ op: 'replace', path: '/a/c', value: 3 }],
  ],
  ['a list that grows', { a: [1] }, { a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 2 }]],
  [
    'a list that shrinks, from its end',
    [1, 2, 3],
    [1],
    [
      { op: 'remove', path: '/2' },
      { op: 'remove', path: '/1' },
    ],
  ],
  ['an item of a list', [{ a: 1 }], [{ a: 2 }], [{ op: 'replace', path: '/0/a', value: 2 }]],
  ['a list in the place of an object', { a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
  ['the whole', 1, 2, [{ op: 'replace', path: '', value: 2 }]],
  [
    'keys with slashes and tildes',
    { 'a/b~c': 1, '~1': 1 },
    { 'a/b~c': 2, '~1': 2 },
    [
      { op: 'replace', path: '/a~1b~0c', value: 2 },
      { op: 'replace', path: '/~01', value: 2 },
    ],
  ],
];

describe('names', () => {
  test.each(cases)('%s', (_, from, to, want) => {
    expect(jsonPatch(from, to)).toEqual(want);
  });
});

describe('applied', () => {
  /** Few keys and values, so that the two often have something in common; some keys that are easily got wrong. */
  const key = fc.constantFrom('a', 'b', '', '/', '~', '~1', '0', '__proto__', 'constructor');
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 1, 'x'),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  test('to the first it gives the second, whatever the two are', () => {
    fc.assert(
      fc.property(json, json, (from, to) => {
        const patch = jsonPatch(from, to);
        // Not toEqual: that is blind for a key `__proto__`.
        expect(isDeepStrictEqual(apply(from, JSON.parse(JSON.stringify(patch))), to)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('an object to itself it is empty', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonPatch(value, structuredClone(value))).toEqual([]);
      }),
    );
  });
});
