import { expect, test } from 'vitest';
import { parseDurationMs } from './duration.ts';

test.each([
  ['0', 0],
  ['10m', 600_000],
  ['30s', 30_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['.5s', 500],
  ['2.m', 120_000],
  ['250ms', 250],
  ['1m1ms', 60_001],
  ['500us', 0.5],
  ['500µs', 0.5],
  ['-2m', -120_000],
  ['+2m', 120_000],
])('parseDurationMs(%j) is %d', (text, ms) => {
  expect(parseDurationMs(text)).toBeCloseTo(ms, 9);
});

test.each(['', '10', 'm', '10 m', '10min', '1d', '10m5', '1.2.3s', '-', 'ten'])(
  'parseDurationMs(%j) is nothing',
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
