/** Texts that fit into a place. */
import { printable } from './printable.ts';
import { charactersOf, widthOf } from './width.ts';

/** The beginning of `text` that takes at most `width` columns, with `…` where something was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let taken = 0;
  for (const character of charactersOf(text)) {
    taken += widthOf(character);
    if (taken > width - 1) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

/** `text` in one line, without what would steer a terminal. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\n\r\t]+/g, ' '));
}
