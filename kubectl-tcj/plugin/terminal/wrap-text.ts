/** Truncates and wraps texts to a width. */
import { escapeUnprintable } from './escape-unprintable.ts';
import { measureWidth, splitCharacters } from './measure-width.ts';

/** Truncates `text` to `width` columns, with `…` at the end. */
export function truncate(text: string, width: number): string {
  return measureWidth(text) <= width ? text : `${takeStart(splitCharacters(text), width - 1).trimEnd()}…`;
}

/** Truncates `text` to `width` columns with `…` in the middle, because similar texts may differ only at their ends. */
export function truncateMiddle(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  const characters = splitCharacters(text);
  const end = takeEnd(characters, Math.floor((width - 1) / 2)).trimStart();
  return `${takeStart(characters, width - 1 - measureWidth(end)).trimEnd()}…${end}`;
}

function takeStart(characters: readonly string[], width: number): string {
  return characters.slice(0, countFittingCharacters(characters, width)).join('');
}

function takeEnd(characters: readonly string[], width: number): string {
  return characters.slice(characters.length - countFittingCharacters(characters.toReversed(), width)).join('');
}

/** Returns the number of leading characters that fit into `width` columns. */
function countFittingCharacters(characters: readonly string[], width: number): number {
  let usedWidth = 0;
  const firstExcess = characters.findIndex((each) => {
    usedWidth += measureWidth(each);
    return usedWidth > width;
  });
  return firstExcess === -1 ? characters.length : firstExcess;
}

/** Returns `text` on one line and escapes control characters. */
export function toOneLine(text: string): string {
  return escapeUnprintable(text.replace(/[\n\r\t]+/g, ' '));
}

/**
 * Wraps `text` at spaces into lines of at most `width` columns. A word that is longer than a line gets a separate line.
 * @param width Default: unlimited.
 * @param indent The prefix of each line except the first.
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
