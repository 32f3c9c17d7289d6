/** Renders the tables of docs/reliability.md: the faults of the last `make test-faults`, and the planted faults. */
import type { FaultFigure, FaultResultRow, FaultResults } from '../../test/faults/support/results.ts';
import type { PlantedFault } from '../planted/planted-faults.ts';
import { formatCode, formatTable } from './markdown.ts';

/** The heading of each suite, in the order of the page. */
const SUITE_TITLES: Readonly<Record<string, string>> = {
  crash: 'The manager is killed (SIGKILL) before and after each kind of call',
  'api-server': 'The API server, etcd and the network',
  beside: 'Faults that last for minutes or affect one namespace',
  credentials: 'The API server refuses old credentials',
  'leader-election': 'Hand-overs between managers',
  soak: 'Ten minutes of random faults',
};

/** Returns the page with new tables of the faults in each suite. */
export function replaceResults(page: string, results: readonly FaultResults[]): string {
  const orderedResults = Object.keys(SUITE_TITLES).flatMap(
    (suite) => results.find((each) => each.suite === suite) ?? [],
  );
  return replaceGeneratedText(page, 'results', orderedResults.map(renderSuite).join('\n\n'));
}

/** Returns the page with a new table of the number of planted faults that each npm script or test file finds. */
export function replacePlantedFaults(page: string, faults: readonly PlantedFault[]): string {
  const suites = faults.flatMap(({ foundBy }) => [...new Set(foundBy.map(getSuiteName))]);
  const rows = [...Map.groupBy(suites, (suite) => suite)].map(([suite, foundSuites]) => [
    formatCode(suite),
    String(foundSuites.length),
  ]);
  rows.sort(([, one], [, other]) => Number(other) - Number(one));
  return replaceGeneratedText(
    page,
    'planted faults',
    formatTable([['Suite', 'Planted faults that the suite finds'], ...rows]),
  );
}

function getSuiteName(command: string): string {
  return /npm run \w+|\S+\.test\.ts/.exec(command)?.[0] ?? command;
}

/** Throws an Error if the page has no markers for the text. */
function replaceGeneratedText(page: string, name: string, text: string): string {
  const [before, rest] = page.split(`<!-- ${name}: make reliability -->\n`);
  const [, after] = rest?.split(`<!-- end of ${name} -->`) ?? [];
  if (after === undefined) throw new Error(`the page has no placeholder for ${name}`);
  return `${before}<!-- ${name}: make reliability -->\n\n${text}\n\n<!-- end of ${name} -->${after}`;
}

function renderSuite({ suite, rows: allRows, figures = [] }: FaultResults): string {
  // A soak repeats the faults of the other tables at random, and counts its runs only in the total.
  const rows = figures.length === 0 ? allRows : allRows.filter(({ runs }) => totalRuns(runs) > 0);
  const columns: readonly ResultColumn[] = [
    { head: 'Fault', cell: ({ fault }) => fault },
    { head: 'Times', cell: ({ times }) => String(times) },
    { head: 'Runs', cell: ({ runs }) => String(totalRuns(runs)) },
    { head: 'Recovered after', cell: ({ recoveredAfterSeconds: seconds }) => seconds && `${seconds} s` },
    { head: 'Requests a second', cell: ({ requestsPerSecond }) => requestsPerSecond && String(requestsPerSecond) },
  ];
  const nonEmptyColumns = columns.filter(({ cell }) => rows.some(cell));
  const lines = rows.map((row) => nonEmptyColumns.map(({ cell }) => cell(row) || ''));
  const tables = [formatTable([nonEmptyColumns.map(({ head }) => head), ...lines]), ...renderFigures(figures)];
  return `### ${SUITE_TITLES[suite]}\n\n${tables.join('\n\n')}`;
}

function totalRuns(runs: FaultResultRow['runs']): number {
  return Object.values(runs).reduce((sum, count) => sum + count, 0);
}

function renderFigures(figures: readonly FaultFigure[]): readonly string[] {
  if (figures.length === 0) return [];
  const lines = figures.map(({ name, first, last }) => [name, formatNumber(first), formatNumber(last)]);
  return [formatTable([['By a linear fit', 'First', 'Last'], ...lines])];
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

interface ResultColumn {
  readonly head: string;
  readonly cell: (row: FaultResultRow) => string | 0 | undefined;
}
