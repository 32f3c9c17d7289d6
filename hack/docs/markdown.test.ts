import { describe, expect, test } from 'vitest';
import { anchor, paragraph, prose, table } from './markdown.ts';

describe('a paragraph', () => {
  const words = Array.from({ length: 40 }, () => 'word').join(' ');

  test('is wrapped, and loses no word', () => {
    const lines = paragraph(words).split('\n');
    expect(lines.map((line) => line.length)).toEqual([109, 89]);
    expect(lines.join(' ')).toBe(words);
  });

  test('hangs from its bullet', () => {
    expect(paragraph(`- ${words}`, '  ')).toMatch(/^- word( word)+\n {2}word( word)+$/);
  });

  test('is never broken within a link or a piece of code', () => {
    const link = `[${words}](page.md)`;
    expect(paragraph(`See ${link}.`)).toBe(`See\n${link}.`);
    expect(paragraph(`See \`${words}\`.`)).toBe(`See\n\`${words}\`.`);
  });
});

test('columns of a table stand below each other, whatever is in the cells', () => {
  const rows = [
    ['Name', 'A'],
    ['x|y', ''],
    ['longer', 'b'],
  ];
  expect(table(rows).split('\n')).toEqual(['| Name   | A |', '| ------ | - |', '| x\\|y   |   |', '| longer | b |']);
});

test('neither tags nor emphasis come of plain text, and code stays as it is', () => {
  expect(prose('"@every <duration>" or `* <x>` or *')).toBe('"@every \\<duration>" or `* <x>` or \\*');
});

test('anchors are those that GitHub gives', () => {
  expect(anchor('`spec.timeZone`')).toBe('#spectimezone');
  expect(anchor('What it is')).toBe('#what-it-is');
});
