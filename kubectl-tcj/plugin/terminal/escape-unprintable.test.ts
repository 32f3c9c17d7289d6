import { describe, expect, test } from 'vitest';
import { escapeUnprintable, escapeUnprintableLines } from './escape-unprintable.ts';

describe('escapes', () => {
  test.each([
    ['an escape sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['one that names the window', '\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['one of a single character', '\u009b31m\u009d0;x\u009c', '\\u{9b}31m\\u{9d}0;x\\u{9c}'],
    ['what goes back in the line', 'abc\rd\b\u007f', 'abc\\u{d}d\\u{8}\\u{7f}'],
    ['a direction of writing', 'a\u202eb\u2066c\u200fd\u061ce', 'a\\u{202e}b\\u{2066}c\\u{200f}d\\u{61c}e'],
    ['a space without width', 'ad\u200bmi\u2060n\ufeff\u00ad', 'ad\\u{200b}mi\\u{2060}n\\u{feff}\\u{ad}'],
    ['a letter that shows nothing', 'a\u3164b\u115f\u180e\u034f', 'a\\u{3164}b\\u{115f}\\u{180e}\\u{34f}'],
    ['a text in tags', 'a\u{e0001}\u{e0041}', 'a\\u{e0001}\\u{e0041}'],
    ['a joiner that joins nothing', 'a\u200db\u200cc', 'a\\u{200d}b\\u{200c}c'],
    ['a selector that selects nothing', 'a\ufe0fb\u{e0100}', 'a\\u{fe0f}b\\u{e0100}'],
    ['a separator of lines', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['half of a character', 'a\ud800b', 'a\\u{d800}b'],
    ['an annotation', '\ufff9a\ufffab\ufffb', '\\u{fff9}a\\u{fffa}b\\u{fffb}'],
  ])('%s', (_, text, shown) => {
    expect(escapeUnprintable(text)).toBe(shown);
    expect(escapeUnprintableLines(text)).toBe(shown);
  });
});

test.each(['zwölf Bücher', '予算の報告', '👩‍💻 ✂️ 👩🏽‍🚀 1️⃣ ❤️‍🔥', 'می‌خواهم', 'क्‍ष', 'שלום'])(
  'does not escape %s',
  (text) => {
    expect(escapeUnprintable(text)).toBe(text);
  },
);

test('keeps line breaks and tabs only in multi-line text', () => {
  expect(escapeUnprintableLines('a\n\tb\r\n')).toBe('a\n\tb\\u{d}\n');
  expect(escapeUnprintable('a\n\tb')).toBe('a\\u{a}\\u{9}b');
});
