import { expect, test } from 'vitest';
import { limitWarnings } from './limit-warnings.ts';

const characters = (warnings: readonly string[]) => warnings.reduce((sum, text) => sum + [...text].length, 0);
const numbered = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${index} `.padEnd(length, 'x'));

test('leaves short warnings as they are', () => {
  expect(limitWarnings(['spec.schedule: never fires', 'ünïcödé 🙂'])).toEqual([
    'spec.schedule: never fires',
    'ünïcödé 🙂',
  ]);
});

test('drops duplicate and empty warnings', () => {
  expect(limitWarnings(['a', 'b', 'a', '', ' '])).toEqual(['a', 'b']);
});

test('cuts warnings after 256 characters, between characters', () => {
  const [exact, long] = limitWarnings(['x'.repeat(256), '🙂'.repeat(257)]);
  expect(exact).toBe('x'.repeat(256));
  expect(long).toBe(`${'🙂'.repeat(255)}…`);
});

test('joins lines, because the API server drops warnings with control characters', () => {
  expect(limitWarnings(['one\n  two\tthree\u0000four\u0085five', 'half a pair \ud800.'])).toEqual([
    'one two three four five',
    'half a pair \ufffd.',
  ]);
});

test('shows 4096 characters in all', () => {
  expect(limitWarnings(numbered(16, 256))).toEqual(numbered(16, 256));
});

test.each([
  [17, 256, 15],
  [1000, 256, 15],
  [1000, 40, 100],
  [1000, 63, 64],
])('of %i warnings of %i characters shows %i and the number of the others', (count, length, shown) => {
  const fitted = limitWarnings(numbered(count, length));
  expect(fitted).toEqual([...numbered(shown, length), `${count - shown} more warnings are not shown`]);
  expect(characters(fitted)).toBeLessThanOrEqual(4096);
});
