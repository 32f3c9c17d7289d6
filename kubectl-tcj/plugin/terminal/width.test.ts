import { expect, test } from 'vitest';
import { charactersOf, widthOf } from './width.ts';

test.each([
  ['abc', 3],
  ['', 0],
  ['äö', 2],
  ['a\u0308', 1],
  ['日本', 4],
  ['한국어', 6],
  ['ＡＢ', 4],
  ['😀', 2],
  ['👩‍🚀', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['✓…', 2],
  ['\u200b', 0],
])('%j takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('a character is what a person sees as one', () => {
  expect(charactersOf('a\u0308👩‍🚀b')).toEqual(['a\u0308', '👩‍🚀', 'b']);
});
