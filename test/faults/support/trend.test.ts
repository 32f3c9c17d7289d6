import { expect, test } from 'vitest';
import { growth } from './trend.ts';

const samples = (valueAt: (second: number) => number) =>
  Array.from({ length: 100 }, (_, at) => ({ at, value: valueAt(at) }));

test('a figure that stays does not grow, whatever garbage lies on it', () => {
  expect(
    growth(
      samples((at) => 100 + (at % 10)),
      10,
    ),
  ).toBe(0);
});

test('one that grows by half of its mean', () => {
  expect(
    growth(
      samples((at) => 75 + Math.floor(at / 10) * (50 / 9)),
      10,
    ),
  ).toBeCloseTo(0.5);
});

test('one that is 0, and one that falls', () => {
  expect(
    growth(
      samples(() => 0),
      10,
    ),
  ).toBe(0);
  expect(
    growth(
      samples((at) => 200 - at),
      10,
    ),
  ).toBeLessThan(-0.4);
});

test('two spans are no trend', () => {
  expect(() =>
    growth(
      samples(() => 1),
      50,
    ),
  ).toThrow('a trend takes three spans');
});
