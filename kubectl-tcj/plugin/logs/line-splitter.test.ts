import { expect, test } from 'vitest';
import { LogLineSplitter, MAX_LINE_BYTES, TRUNCATION_MARK } from './line-splitter.ts';
import { LogPosition } from './log-position.ts';

function linesIn(...chunks: readonly Uint8Array[]): readonly string[] {
  const place = new LogPosition(false);
  const cutter = new LogLineSplitter();
  const lines = chunks.flatMap((chunk) => cutter.split(place.readFragments(chunk)));
  return [...lines, ...cutter.flush()];
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('joins lines across chunks', () => {
  const text = bytes('first\n\nzwölf Bücher 📚\r\nlast');
  for (let cut = 0; cut <= text.length; cut++) {
    expect(linesIn(text.slice(0, cut), text.slice(cut))).toEqual(['first', '', 'zwölf Bücher 📚', 'last']);
  }
});

test('adds no empty line at the end', () => {
  expect(linesIn(bytes('one\n'), bytes('two\n'))).toEqual(['one', 'two']);
  expect(linesIn()).toEqual([]);
});

test('shows bytes that are not UTF-8 as replacement characters', () => {
  expect(linesIn(Uint8Array.of(0x61, 0xff, 0x0a))).toEqual(['a\uFFFD']);
});

test('shows the beginning of a line that is too long once, and the next line completely', () => {
  const cutter = new LogLineSplitter();
  const place = new LogPosition(false);
  const chunk = Buffer.alloc(10_000, 'é');
  const lines: string[] = [];
  for (let count = 0; count < 40_000; count++) lines.push(...cutter.split(place.readFragments(chunk)));
  expect(lines).toEqual([`${'é'.repeat(MAX_LINE_BYTES / 2)}${TRUNCATION_MARK}`]);
  expect(cutter.split(place.readFragments(bytes('end\nnext\n')))).toEqual(['next']);
});

test('shows a line of the maximum length completely, without half a character', () => {
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  expect(linesIn(bytes(`${longest}\nnext`))).toEqual([longest, 'next']);
  expect(linesIn(bytes(`x${longest}\nnext`))).toEqual([longest + TRUNCATION_MARK, 'next']);
  expect(linesIn(bytes(`${longest.slice(1)}é\nnext`))).toEqual([longest.slice(1) + TRUNCATION_MARK, 'next']);
  expect(linesIn(bytes(`x${longest}`))).toEqual([longest + TRUNCATION_MARK]);
});
