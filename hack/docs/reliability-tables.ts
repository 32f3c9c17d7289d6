/** Makes the tables of docs/reliability.md of what the last `make test-faults` and `make test-planted` have tried. */
import type { Figure, Results, Row } from '../../test/faults/support/results.ts';
import type { PlantedResult } from '../planted/results.ts';
import { prose, table } from './markdown.ts';

/** What surrounds that of one tool in the page. */
type Place = readonly [begin: string, end: string];
const RESULTS: Place = ['<!-- results: make reliability -->', '<!-- end of results -->'];
const PLANTED: Place = ['<!-- planted faults: make reliability -->', '<!-- end of planted faults -->'];

/** What each suite breaks; in this order. */
const TITLES: Readonly<Record<string, string>> = {
  crash: 'The manager is killed (SIGKILL) before and after each kind of call',
  'api-server': 'The API server, its storage and the way to it',
  beside: 'What takes minutes, or stays with one namespace',
  credentials: 'Credentials are replaced, and the old ones refused',
  'leader-election': 'Two managers and three hand over',
  soak: 'Minutes of random faults',
};

/** The page with new tables. Throws an Error when it has no place for them. */
export function withTables(page: string, results: readonly Results[]): string {
  const ordered = Object.keys(TITLES).flatMap((suite) => results.find((each) => each.suite === suite) ?? []);
  return withText(page, RESULTS, ordered.map(sectionOf).join('\n\n'));
}

/** The page with a new table of the planted faults. Throws an Error when it has no place for it. */
export function withPlanted(page: string, results: readonly PlantedResult[]): string {
  const found = results.filter(({ foundBy }) => foundBy !== undefined).length;
  const rows = results.map(({ fault, foundBy = '**not found**' }) => [prose(fault), foundBy]);
  const count = `${found} of ${results.length} were found:`;
  return withText(page, PLANTED, `${count}\n\n${table([['Planted fault', 'Found by'], ...rows])}`);
}

function withText(page: string, [begin, end]: Place, text: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}

function sectionOf({ suite, rows, figures = [] }: Results): string {
  const policies = [...new Set(rows.flatMap(({ runs }) => Object.keys(runs)))].sort();
  const columns: readonly Column[] = [
    { head: 'Fault', cell: ({ fault }) => fault },
    { head: 'Times', cell: ({ times }) => String(times) },
    ...policies.map((policy): Column => ({ head: `Runs, ${policy}`, cell: ({ runs }) => String(runs[policy] ?? 0) })),
    { head: 'Well again after', cell: ({ recoveredAfterSeconds: seconds }) => seconds && `${seconds} s` },
    { head: 'Requests a second', cell: ({ requestsPerSecond }) => requestsPerSecond && String(requestsPerSecond) },
  ];
  const shown = columns.filter(({ cell }) => rows.some(cell));
  const lines = rows.map((row) => shown.map(({ cell }) => cell(row) || ''));
  const tables = [table([shown.map(({ head }) => head), ...lines]), ...tablesOfFigures(figures)];
  return `### ${TITLES[suite]}\n\n${tables.join('\n\n')}`;
}

function tablesOfFigures(figures: readonly Figure[]): readonly string[] {
  if (figures.length === 0) return [];
  const lines = figures.map(({ name, first, last }) => [name, rounded(first), rounded(last)]);
  return [table([['By a linear fit', 'First', 'Last'], ...lines])];
}

function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** One that is empty in every row is left out. */
interface Column {
  readonly head: string;
  readonly cell: (row: Row) => string | 0 | undefined;
}
