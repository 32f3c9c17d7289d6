import { widthOf } from './width.ts';

/**
 * `text` in lines of at most `width` columns, broken at spaces. A word that is longer has a line of its own.
 * @param width Without one there is one line.
 * @param indent Before each line but the first.
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
