/** Fits texts into a width. */
import { printable } from './printable.ts';
import { charactersOf, widthOf } from './width.ts';

/** The beginning of `text` in at most `width` columns, with `…` where it was cut. */
export function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${beginningOf(charactersOf(text), width - 1).trimEnd()}…`;
}

/** For texts that differ at their end: the beginning and the end of `text`, with `…` between them. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const characters = charactersOf(text);
  const end = endOf(characters, Math.floor((width - 1) / 2)).trimStart();
  return `${beginningOf(characters, width - 1 - widthOf(end)).trimEnd()}…${end}`;
}

function beginningOf(characters: readonly string[], width: number): string {
  return characters.slice(0, fitting(characters, width)).join('');
}

function endOf(characters: readonly string[], width: number): string {
  return characters.slice(characters.length - fitting(characters.toReversed(), width)).join('');
}

/** Number of characters, from the first on, that take at most `width` columns. */
function fitting(characters: readonly string[], width: number): number {
  let taken = 0;
  const tooMany = characters.findIndex((each) => {
    taken += widthOf(each);
    return taken > width;
  });
  return tooMany === -1 ? characters.length : tooMany;
}

/** `text` on one line, without characters that would control a terminal. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\n\r\t]+/g, ' '));
}

/**
 * `text` in lines of at most `width` columns, broken at spaces. A longer word gets a line of its own.
 * @param width Absent: one line.
 * @param indent Prefix of each line but the first.
 */
export function wrapped(text: string, width = Number.POSITIVE_INFINITY, indent = ''): string {
  const [, head = '', rest = ''] = /^(\s*)(.*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const [, space = '', word = ''] of rest.matchAll(/( *)([^ ]+)/g)) {
    if (!isEmpty && widthOf(line) + widthOf(space) + widthOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line += space + word;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
