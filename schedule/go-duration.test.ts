import { expect, test } from 'vitest';
import { parseGoDuration } from './go-duration.ts';

test.each([
  ['0', 0n],
  ['-0', 0n],
  ['10m', 600_000_000_000n],
  ['30s', 30_000_000_000n],
  ['1h30m', 5_400_000_000_000n],
  ['1.5s', 1_500_000_000n],
  ['.5s', 500_000_000n],
  ['2.m', 120_000_000_000n],
  ['250ms', 250_000_000n],
  ['1m1ms', 60_001_000_000n],
  ['500us', 500_000n],
  ['500µs', 500_000n],
  ['500μs', 500_000n],
  ['-2m', -120_000_000_000n],
  ['+2m', 120_000_000_000n],
  ['2562047h47m16.854775807s', 2n ** 63n - 1n],
])('parseGoDuration(%j) is %d ns', (text, nanoseconds) => {
  expect(parseGoDuration(text)).toEqual({ kind: 'ok', nanoseconds });
});

test.each(['', '10', 'm', '.s', '10 m', '10min', '1d', '10m5', '1.2.3s', '-', '--2m', 'ten'])(
  'parseGoDuration(%j) is invalid',
  (text) => {
    expect(parseGoDuration(text)).toEqual({
      kind: 'invalid',
      message: `${JSON.stringify(text)} is not a duration; give numbers with units, such as 90s, 5m or 1h30m`,
    });
  },
);

test('a duration that Go cannot hold is invalid', () => {
  expect(parseGoDuration('99999999h')).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('292 years'),
  });
});
