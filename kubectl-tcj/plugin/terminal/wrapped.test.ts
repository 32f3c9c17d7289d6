import { expect, test } from 'vitest';
import { wrapped } from './wrapped.ts';

test.each([
  ['one two three', 7, '', 'one two\nthree'],
  ['one two three', 8, '  ', 'one two\n  three'],
  ['  a   b c', 6, '    ', '  a\n    b\n    c'],
  ['https://example.org/long a', 5, '', 'https://example.org/long\na'],
  ['日本語 です', 8, '', '日本語\nです'],
  ['日本語 です', 11, '', '日本語 です'],
  ['', 5, '', ''],
])('%j in %i columns', (text, width, indent, want) => {
  expect(wrapped(text, width, indent)).toBe(want);
});
