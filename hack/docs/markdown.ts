/** Formats Markdown with wrapped lines and aligned columns, which is readable in a terminal. */
import { markdownTable } from 'markdown-table';

const LINE_LENGTH = 110;
/** A link or code is a single word, so that a line never breaks inside it. */
const WORD_PATTERN = /(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g;

/** Wraps a paragraph. Each line except the first starts with `indent`. */
export function wrapParagraph(text: string, indent = ''): string {
  const lines = [''];
  for (const word of text.match(WORD_PATTERN) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line.trim() !== '' && line.length + 1 + word.length > LINE_LENGTH) lines.push(indent + word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** Formats rows, starting with the head, as a table. Cells are Markdown, in which the function escapes `|`. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  return markdownTable(cells);
}

export function formatCode(text: string): string {
  return `\`${text}\``;
}

/** Escapes characters that start a tag or emphasis in Markdown, except in code. */
export function escapeProse(text: string): string {
  return text.replaceAll(/`[^`]*`|[<*]/g, (match) => (match.startsWith('`') ? match : `\\${match}`));
}

/** Returns the anchor of a heading on GitHub. */
export function toAnchor(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')}`;
}
