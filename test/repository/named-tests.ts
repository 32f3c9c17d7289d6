/** Tests that a page names, and the names that there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface NamedTest {
  /** Path from the project's root. */
  readonly file: string;
  readonly name: string;
}

/** Those of a cell of a table: `` `file`: name ``, one a line. Both are empty where the cell says something else. */
export function testsNamedIn(cell: string): readonly NamedTest[] {
  return cell.split('<br>').map((entry) => {
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
    return { file, name };
  });
}

/** The names that the file gives to its tests, to groups of them, and to the rows of its tables. */
export function namesIn(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const names = source.matchAll(
    /(?:\bname: |\[\s*|\b(?:test|describe)(?:\.each\([\s\S]*?\))?\(\s*)(['"`])((?:\\.|(?!\1).)*)\1/g,
  );
  return [...names].map(([, , name = '']) => name.replaceAll("\\'", "'"));
}
