/** Tests that a page names, and the existing names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface NamedTest {
  /** Path relative to the project's root. */
  readonly file: string;
  readonly name: string;
}

/** The tests in a cell of a table: `` `file`: name ``, one per line. Both are empty for a cell with other text. */
export function parseNamedTests(cell: string): readonly NamedTest[] {
  return cell.split('<br>').map((entry) => {
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
    return { file, name };
  });
}

/** The names of the tests, groups and table rows in the file. */
export function listTestNames(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const names = source.matchAll(
    /(?:\bname: |\[\s*|\b(?:test|describe)(?:\.each\([\s\S]*?\))?\(\s*)(['"`])((?:\\.|(?!\1).)*)\1/g,
  );
  return [...names].map(([, , name = '']) => name.replaceAll("\\'", "'"));
}
