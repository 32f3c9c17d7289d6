import { expect, test } from 'vitest';
import { MAX_LINES, takeNewestLines } from './newest-lines.ts';

const repeat = (text: string, count: number) => Array.from({ length: count }, (_, key) => ({ key, text }));

test('takes the newest lines, at most 5,000', () => {
  expect(takeNewestLines([])).toEqual([]);
  expect(takeNewestLines(repeat('x', 3))).toHaveLength(3);
  const newest = takeNewestLines(repeat('x', MAX_LINES + 2));
  expect(newest).toHaveLength(MAX_LINES);
  expect(newest[0]?.key).toBe(2);
});

test('takes fewer long lines, but at least one', () => {
  const newest = takeNewestLines(repeat('x'.repeat(64 * 1024), MAX_LINES));
  expect(newest).toHaveLength(76);
  expect(newest.at(-1)?.key).toBe(MAX_LINES - 1);
  expect(takeNewestLines(repeat('x'.repeat(6_000_000), 2))).toHaveLength(1);
});
