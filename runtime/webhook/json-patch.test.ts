import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyJsonPatch as apply } from '../testing/fake-api/patches.ts';
import { createJsonPatch, type JsonValue, type PatchOperation } from './json-patch.ts';

const add = (path: string, value: JsonValue) => ({ op: 'add', path, value }) as const;
const replace = (path: string, value: JsonValue) => ({ op: 'replace', path, value }) as const;
const remove = (path: string) => ({ op: 'remove', path }) as const;

const cases: readonly [name: string, from: JsonValue, to: JsonValue, want: readonly PatchOperation[]][] = [
  ['nothing when they are equal', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['nothing when only the order of keys differs', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['a field that is new', {}, { a: { b: 1 } }, [add('/a', { b: 1 })]],
  ['a field that is null at first', { a: null }, { a: 1 }, [replace('/a', 1)]],
  ['a field that becomes null', { a: 1 }, { a: null }, [replace('/a', null)]],
  ['a field that goes', { a: 1, b: 2 }, { b: 2 }, [remove('/a')]],
  ['only what differs deep inside', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [replace('/a/c', 3)]],
  ['a list that grows', { a: [1] }, { a: [1, 2] }, [add('/a/1', 2)]],
  ['a list that shrinks, from its end', [1, 2, 3], [1], [remove('/2'), remove('/1')]],
  ['an item of a list', [{ a: 1 }], [{ a: 2 }], [replace('/0/a', 2)]],
  ['a list in the place of an object', { a: {} }, { a: [] }, [replace('/a', [])]],
  ['the whole', 1, 2, [replace('', 2)]],
  [
    'keys with slashes and tildes',
    { 'a/b~c': 1, '~1': 1 },
    { 'a/b~c': 2, '~1': 2 },
    [replace('/a~1b~0c', 2), replace('/~01', 2)],
  ],
];

describe('names', () => {
  test.each(cases)('%s', (_, from, to, want) => {
    expect(createJsonPatch(from, to)).toEqual(want);
  });
});

describe('applied', () => {
  /** Few keys and values, so that the two often overlap; some keys are error-prone. */
  const key = fc.constantFrom('a', 'b', '', '/', '~', '~1', '0', '__proto__', 'constructor');
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 1, 'x'),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  test('to the first value it gives the second', () => {
    fc.assert(
      fc.property(json, json, (from, to) => {
        const patch = createJsonPatch(from, to);
        // Not toEqual, which ignores a key `__proto__`.
        expect(isDeepStrictEqual(apply(from, JSON.parse(JSON.stringify(patch))), to)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('is empty for equal values', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(createJsonPatch(value, structuredClone(value))).toEqual([]);
      }),
    );
  });
});
