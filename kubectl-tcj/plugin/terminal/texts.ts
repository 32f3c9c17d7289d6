/** Fits texts into a width. */
import { escapeUnprintable } from './printable.ts';
import { measureWidth, splitCharacters } from './width.ts';

/** The beginning of `text` in at most `width` columns, with `…` where it was cut. */
export function truncate(text: string, width: number): string {
  return measureWidth(text) <= width ? text : `${takeStart(splitCharacters(text), width - 1).trimEnd()}…`;
}

/** For texts that differ at their end: the beginning and the end of `text`, with `…` between them. */
export function truncateMiddle(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  const characters = splitCharacters(text);
  const end = takeEnd(characters, Math.floor((width - 1) / 2)).trimStart();
  return `${takeStart(characters, width - 1 - measureWidth(end)).trimEnd()}…${end}`;
}

function takeStart(characters: readonly string[], width: number): string {
  return characters.slice(0, countFitting(characters, width)).join('');
}

function takeEnd(characters: readonly string[], width: number): string {
  return characters.slice(characters.length - countFitting(characters.toReversed(), width)).join('');
}

/** Number of characters, from the first on, that take at most `width` columns. */
function countFitting(characters: readonly string[], width: number): number {
  let taken = 0;
  const tooMany = characters.findIndex((each) => {
    taken += measureWidth(each);
    return taken > width;
  });
  return tooMany === -1 ? characters.length : tooMany;
}

/** `text` on one line, without characters that would control a terminal. */
export function toOneLine(text: string): string {
  return escapeUnprintable(text.replace(/[\n\r\t]+/g, ' '));
}

/**
 * `text` in lines of at most `width` columns, broken at spaces. A longer word gets a line of its own.
 * @param width Absent: one line.
 * @param indent Prefix of each line but the first.
 */
export function wrapText(text: string, width = Number.POSITIVE_INFINITY, indent = ''): string {
  const [, head = '', rest = ''] = /^(\s*)(.*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const [, space = '', word = ''] of rest.matchAll(/( *)([^ ]+)/g)) {
    if (!isEmpty && measureWidth(line) + measureWidth(space) + measureWidth(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line += space + word;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
