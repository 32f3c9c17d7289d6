/** Makes the tables of docs/reliability.md of what the last `make test-faults` has tried. */
import type { Results, Row } from '../../test/faults/support/results.ts';
import { table } from './markdown.ts';

const BEGIN = '<!-- results: make reliability -->';
const END = '<!-- end of results -->';

/** What each suite breaks; in this order. */
const TITLES: Readonly<Record<string, string>> = {
  crash: 'The manager is killed (SIGKILL) before and after each kind of call',
  'api-server': 'The API server, its storage and the way to it',
  'leader-election': 'Two managers hand over',
  soak: 'Minutes of random faults',
};

/** The page with new tables. Throws an Error when it has no place for them. */
export function withTables(page: string, results: readonly Results[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} … ${END}`);
  const ordered = Object.keys(TITLES).flatMap((suite) => results.find((each) => each.suite === suite) ?? []);
  const text = ordered.map(sectionOf).join('\n\n');
  return `${page.slice(0, begin)}${BEGIN}\n\n${text}\n\n${page.slice(end)}`;
}

function sectionOf({ suite, rows }: Results): string {
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
  return `### ${TITLES[suite]}\n\n${table([shown.map(({ head }) => head), ...lines])}`;
}

/** One that is empty in every row is left out. */
interface Column {
  readonly head: string;
  readonly cell: (row: Row) => string | 0 | undefined;
}
