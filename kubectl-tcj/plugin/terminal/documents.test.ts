import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatJson, formatYaml } from './documents.ts';
import { escapeUnprintableLines } from './escape-unprintable.ts';

const HOSTILE = {
  'a\u001b[2Jb': ['plain', 'c1 \u009b31m', 'bidi \u202e', 'tag \u{e0041}', 'half \ud800', 'back\rspace\b', 'x\u0085y'],
  block: 'a\nb\u202e\n\tc\u2028',
  '\u200b': { 'del\u007f': 'zwölf 予算 👩‍💻', number: '12', empty: '' },
  long: `${'word '.repeat(40)}\u061c${'word '.repeat(40)}`,
};

describe.each([
  { format: 'JSON', write: formatJson, read: (text: string): unknown => JSON.parse(text) },
  { format: 'YAML', write: formatYaml, read: (text: string): unknown => parse(text) },
])('$format', ({ write, read }) => {
  test('keeps the value, and escapes what a terminal would interpret or hide', () => {
    const text = write(HOSTILE);
    expect(escapeUnprintableLines(text)).toBe(text);
    expect(read(text)).toEqual(HOSTILE);
  });

  test('does not change other text', () => {
    const value = { a: ['b', 1, true, null], text: 'two\nlines', 日本: '👩‍💻 ✂️' };
    expect(read(write(value))).toEqual(value);
    expect(write(value)).not.toContain('\\u');
  });
});

test('writes YAML without anchors for repeated values', () => {
  const time = new Date('2026-01-01T00:00:00Z');
  expect(formatYaml([{ scheduledTime: time, createdTime: time }])).toBe(
    '- scheduledTime: 2026-01-01T00:00:00.000Z\n  createdTime: 2026-01-01T00:00:00.000Z\n',
  );
});
