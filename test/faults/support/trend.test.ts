import { expect, test } from 'vitest';
import { computeTrend, type Trend } from './trend.ts';

function trend(valueAt: (second: number) => number, spanSeconds = 10): Trend {
  const samples = Array.from({ length: 100 }, (_, at) => ({ at, value: valueAt(at) }));
  return computeTrend(samples, spanSeconds);
}

test.each<[what: string, valueAt: (second: number) => number, growth: number]>([
  ['that stays constant apart from peaks does not grow', (at) => 100 + (at % 10), 0],
  ['that grows by half of its mean', (at) => 75 + Math.floor(at / 10) * (50 / 9), 0.5],
  ['that is 0', () => 0, 0],
  ['that falls', (at) => 200 - at, -0.6],
  ['with one outlier among many spans does not grow', (at) => (at >= 90 ? 300 : 100), 0],
])('a figure %s', (_, valueAt, growth) => {
  expect(trend(valueAt).growth).toBeCloseTo(growth);
});

test('the line has the medians at both ends', () => {
  const { first, last } = trend((at) => 1000 + at);
  expect(first).toBeCloseTo(1004.5);
  expect(last).toBeCloseTo(1094.5);
});

test('two spans are not enough for a trend', () => {
  expect(() => trend(() => 1, 50)).toThrow('a trend needs three spans');
});
