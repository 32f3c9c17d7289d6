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
  const head = [
    'Fault',
    'Times',
    ...policies.map((policy) => `Runs, ${policy}`),
    'Well again after',
    'Requests a second',
  ];
  const lines = rows.map((row) => [
    row.fault,
    String(row.times),
    ...policies.map((policy) => runsOf(row, policy)),
    ...ends(row),
  ]);
  return `### ${TITLES[suite]}\n\n${table([head, ...lines])}`;
}

function runsOf({ runs }: Row, policy: string): string {
  return String(runs[policy] ?? 0);
}

function ends({ recoveredAfterSeconds: seconds, requestsPerSecond }: Row): readonly string[] {
  return [
    seconds === undefined ? '' : `${seconds} s`,
    requestsPerSecond === undefined ? '' : String(requestsPerSecond),
  ];
}
