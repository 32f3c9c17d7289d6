import { describe, expect, test } from 'vitest';
import { measureWidth } from './measure-width.ts';
import { truncate, truncateMiddle, wrapText } from './wrap-text.ts';

test.each([
  ['nightly-backup-eu', 17, 'nightly-backup-eu'],
  ['nightly-backup-eu', 10, 'nightly-b…'],
  ['one two', 5, 'one…'],
  ['日本語日本語', 8, '日本語…'],
  ['日本語日本語', 7, '日本語…'],
  ['日本語日本語', 6, '日本…'],
])('truncates %j to %i columns: %j', (text, width, shown) => {
  expect(truncate(text, width)).toBe(shown);
});

describe('truncation in the middle', () => {
  test.each([
    ['nightly-database-backup-eu', 18, 'nightly-d…ackup-eu'],
    ['nightly-database-backup-eu', 26, 'nightly-database-backup-eu'],
    ['nightly-database-backup-us', 9, 'nigh…p-us'],
    ['Europe/Berlin', 8, 'Euro…lin'],
    ['one two three', 9, 'one…hree'],
    ['one two three', 11, 'one t…three'],
    ['日本語の名前', 9, '日本…名前'],
    ['日本語の名前', 8, '日本…前'],
    ['日本語の名前', 7, '日本…前'],
    ['日本語の名前', 6, '日…前'],
    ['ab日本語cd', 7, 'ab日…cd'],
    ['ab日本語cd', 6, 'ab…cd'],
    ['ab👩‍🚀👩‍🚀cd', 6, 'ab…cd'],
    ['a\u0308bcde\u0308', 3, 'a\u0308…e\u0308'],
    ['abc', 1, '…'],
  ])('turns %j, in %i columns, into %j', (text, width, shown) => {
    expect(truncateMiddle(text, width)).toBe(shown);
  });

  test.each(Array.from({ length: 24 }, (_, index) => index + 1))('never exceeds %i columns', (width) => {
    for (const text of ['予算の報告-nightly-予算', 'x👩‍🚀y👩‍🚀z👩‍🚀x👩‍🚀y👩‍🚀z', '❤️a❤️b❤️c❤️d❤️e❤️f']) {
      expect(measureWidth(truncateMiddle(text, width))).toBeLessThanOrEqual(width);
    }
  });
});

test.each([
  ['one two three', 7, '', 'one two\nthree'],
  ['one two three', 8, '  ', 'one two\n  three'],
  ['  a   b c', 6, '    ', '  a\n    b\n    c'],
  ['https://example.org/long a', 5, '', 'https://example.org/long\na'],
  ['日本語 です', 8, '', '日本語\nです'],
  ['日本語 です', 11, '', '日本語 です'],
  ['', 5, '', ''],
])('wraps %j into %i columns', (text, width, indent, want) => {
  expect(wrapText(text, width, indent)).toBe(want);
});

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
])('measures %j as %i columns', (text, width) => {
  expect(measureWidth(text)).toBe(width);
});
