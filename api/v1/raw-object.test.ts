import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isChanged, valueAt } from './raw-object.ts';

describe('valueAt', () => {
  test.each([
    ['a value', { a: { b: 1 } }, 1],
    ['false', { a: { b: false } }, false],
    ['null, which counts as missing', { a: { b: null } }, undefined],
    ['nothing where the parent is missing', {}, undefined],
    ['nothing where the parent is text', { a: 'b' }, undefined],
    ['nothing where the parent is a list', { a: [1] }, undefined],
    ['nothing in null', null, undefined],
  ])('finds %s', (_, object, want) => {
    expect(valueAt(object, 'a', 'b')).toBe(want);
  });

  test('without a path is the object itself', () => {
    expect(valueAt(7)).toBe(7);
  });
});

describe('isChanged', () => {
  test('everything is new on create', () => {
    expect(isChanged({}, undefined, 'a')).toBe(true);
  });

  test.each([
    [{ a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }], d: 2 }, false],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, false],
    [{}, { a: null }, false],
    [{ a: 1 }, { a: '1' }, true],
    [{ a: [1, 2] }, { a: [2, 1] }, true],
    [{ a: [1] }, { a: { 0: 1 } }, true],
    [{ a: { b: 1 } }, { a: { b: 1, c: 1 } }, true],
    [{ a: { b: 1, c: 1 } }, { a: { b: 1 } }, true],
    [{ a: { b: 1 } }, { a: { c: 1 } }, true],
    [{ a: { b: undefined } }, { a: { c: undefined } }, true],
    [{ a: {} }, { a: 'x' }, true],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, true],
    [{ a: 0 }, {}, true],
  ])('%j for %j: %j', (object, old, want) => {
    expect(isChanged(object, old, 'a')).toBe(want);
    expect(isChanged(old, object, 'a')).toBe(want);
  });

  test('nothing is changed in a copy, and something in a copy with one more entry', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'large' }), (value) => {
        const copy: unknown = structuredClone(value);
        expect(isChanged({ a: value }, { a: copy }, 'a')).toBe(false);
        expect(isChanged({ a: [value] }, { a: [copy, copy] }, 'a')).toBe(true);
      }),
    );
  });

  test('depth does not matter', () => {
    const nested = (depth: number, core: string): unknown =>
      JSON.parse(`${'{"a":['.repeat(depth)}${core}${']}'.repeat(depth)}`);
    expect(isChanged(nested(10_000, '1'), nested(10_000, '1'), 'a')).toBe(false);
    expect(isChanged(nested(10_000, '1'), nested(10_000, '2'), 'a')).toBe(true);
  });
});
