import { expect, test } from 'vitest';
import { LinePositions } from './line-positions.ts';

test('counts characters, not UTF-16 code units', () => {
  const lines = new LinePositions('😀a\n😀😀b\n');
  const offsets = [0, 2, 3, 4, 6, 8, 9];
  expect(offsets.map((offset) => Object.values(lines.getPosition(offset)).join(':'))).toEqual([
    ...['1:1', '1:2', '1:3'],
    ...['2:1', '2:2', '2:3', '2:4'],
  ]);
});

test('counts a lone surrogate as a character', () => {
  expect(new LinePositions('\ud83da\ude00b').getPosition(3)).toEqual({ line: 1, column: 4 });
});

test('returns the line without its line break', () => {
  const lines = new LinePositions('a\r\nbc\r\n');
  expect([0, 1, 3, 4, 7].map((offset) => lines.getLine(offset))).toEqual(['a', 'a', 'bc', 'bc', '']);
});

test('treats an offset beyond the end as the end', () => {
  expect(new LinePositions('a').getPosition(5)).toEqual({ line: 1, column: 2 });
});

test('cuts a long line around the offset', () => {
  const lines = new LinePositions(`${'a'.repeat(5000)}bc${'d'.repeat(5000)}`);
  const cutLine = lines.getLine(5001);
  expect(cutLine).toMatch(/^a{500,2000}bcd{500,2000}$/);
});

// With the time in proportion to the length of the line, this takes many minutes.
test('finds the positions of many offsets in a long line, such as a list in minified JSON', () => {
  const length = 2_000_000;
  const lines = new LinePositions('é😀'.repeat(length / 3));
  for (let offset = 0; offset < length; offset += 30)
    expect(lines.getPosition(offset).column).toBe((offset / 3) * 2 + 1);
}, 60_000);
