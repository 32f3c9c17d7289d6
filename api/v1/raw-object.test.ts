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
    [{}, { a: null }, false],
    [{ a: 0 }, {}, true],
    [{ a: 1 }, { a: '1' }, true],
  ])('%j for %j: %j', (object, old, want) => {
    expect(isChanged(object, old, 'a')).toBe(want);
    expect(isChanged(old, object, 'a')).toBe(want);
  });
});
