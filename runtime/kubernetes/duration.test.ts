import { expect, test } from 'vitest';
import { readGoldenAmounts } from '../yaml/testing/golden.ts';
import { formatDurationMs, parseDurationMs } from './duration.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['1h30m', 5_400_000],
  ['1m1m', 120_000],
  ['1.5s', 1_500],
  ['.5s', 500],
  ['1.s', 1_000],
  ['-2m', -120_000],
  ['+2m', 120_000],
  ['2us', 0.002],
  ['2µs', 0.002],
  ['2000000ns', 2],
  ['8760h', 31_536_000_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each(['', '5', '-', '+', '1d', '1 s', 's', '.s', '1e3s', '5S', '1h 30m', '1h30', 'Infinitys'])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);

test('reads and prints durations like Go', () => {
  const rows = readGoldenAmounts().filter(({ duration }) => duration !== undefined);
  for (const { duration = '', canonical, nanoseconds } of rows) {
    const ms = parseDurationMs(duration);
    const goMs = nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
    expect(ms === undefined, duration).toBe(goMs === undefined);
    if (ms === undefined || goMs === undefined) continue;
    // Go drops fractions of a nanosecond.
    expect(Math.abs(ms - goMs), duration).toBeLessThan(1e-6 + Math.abs(goMs) * 1e-15);
    if (Math.abs(goMs) < 1e9) expect(formatDurationMs(goMs)).toBe(canonical); // a number has no room for more digits
  }
  expect(rows.length).toBeGreaterThan(100);
});
