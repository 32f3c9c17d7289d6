import { expect, test } from 'vitest';
import { isSameJson } from './same-json.ts';

/** `{ a: { a: … } }` with this depth. */
function nested(depth: number, inmost: unknown): unknown {
  let value = inmost;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

test.each([
  [1, 1],
  [null, null],
  [undefined, undefined],
  [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
  ],
  [[], []],
])('%j is the same as %j', (left, right) => {
  expect(isSameJson(left, right)).toBe(true);
});

test.each([
  [1, '1'],
  [null, undefined],
  [{}, null],
  [[], {}],
  [{}, []],
  [[1], [1, 2]],
  [{ a: undefined }, { b: undefined }],
  [{ toString: 1 }, { a: 1 }],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
])('%j is not the same as %j', (left, right) => {
  expect(isSameJson(left, right)).toBe(false);
});

test('compares deeply nested values', () => {
  expect(isSameJson(nested(10_000, 1), nested(10_000, 1))).toBe(true);
  expect(isSameJson(nested(10_000, 1), nested(10_000, 2))).toBe(false);
});
