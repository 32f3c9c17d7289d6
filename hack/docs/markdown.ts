/** Markdown that reads well in a terminal too: wrapped lines, and aligned columns of tables. */
import { markdownTable } from 'markdown-table';

const LINE_LENGTH = 110;
/** A line never breaks inside a link or a piece of code. */
const WORD = /(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g;

/** A paragraph. `indent` goes before each line except the first, for the text of a bullet. */
export function wrapParagraph(text: string, indent = ''): string {
  const lines = [''];
  for (const word of text.match(WORD) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line.trim() !== '' && line.length + 1 + word.length > LINE_LENGTH) lines.push(indent + word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** The first row is the head. Cells are Markdown; this escapes a `|` in a cell. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  return markdownTable(cells);
}

export function formatCode(text: string): string {
  return `\`${text}\``;
}

/** Text with code in it as Markdown: escapes what Markdown would read as a tag or as emphasis. */
export function escapeProse(text: string): string {
  return text.replaceAll(/`[^`]*`|[<*]/g, (match) => (match.startsWith('`') ? match : `\\${match}`));
}

/** Anchor that GitHub gives to a heading. */
export function toAnchor(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')}`;
}
