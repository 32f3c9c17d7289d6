import { expect, test } from 'vitest';
import { trendOf } from './trend.ts';

const samples = (valueAt: (second: number) => number) =>
  Array.from({ length: 100 }, (_, at) => ({ at, value: valueAt(at) }));

test('a figure that stays does not grow, whatever comes and goes', () => {
  expect(
    trendOf(
      samples((at) => 100 + (at % 10)),
      10,
    ).growth,
  ).toBe(0);
});

test('one that grows by half of its mean', () => {
  expect(
    trendOf(
      samples((at) => 75 + Math.floor(at / 10) * (50 / 9)),
      10,
    ).growth,
  ).toBeCloseTo(0.5);
});

test('one that is 0, and one that falls', () => {
  expect(
    trendOf(
      samples(() => 0),
      10,
    ).growth,
  ).toBe(0);
  expect(
    trendOf(
      samples((at) => 200 - at),
      10,
    ).growth,
  ).toBeLessThan(-0.4);
});

test('one odd span among many is no growth', () => {
  expect(
    trendOf(
      samples((at) => (at >= 90 ? 300 : 100)),
      10,
    ).growth,
  ).toBe(0);
});

test('the line has the medians at both ends', () => {
  const { first, last } = trendOf(
    samples((at) => 1000 + at),
    10,
  );
  expect(first).toBeCloseTo(1004.5);
  expect(last).toBeCloseTo(1094.5);
});

test('two spans are no trend', () => {
  expect(() =>
    trendOf(
      samples(() => 1),
      50,
    ),
  ).toThrow('a trend takes three spans');
});
