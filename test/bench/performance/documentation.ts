/** Writes the results into docs/performance.md, between its markers. */
import { readFile, writeFile } from 'node:fs/promises';
import { formatTable, wrapParagraph } from '../../../hack/docs/markdown.ts';
import { type Comparison, compareRuns, formatRows, listDrivers } from './comparison.ts';
import { DRIVERS } from './drivers.ts';
import { formatGoals } from './goals.ts';
import type { BenchResults } from './results.ts';

const PAGE = new URL('../../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- Results: written by make bench ARGS=--write-docs. DO NOT EDIT. -->';
const END = '<!-- End of results. -->';
/** Prefix of the rows for single API calls, which the page leaves out: `make bench` prints them. */
const PART = '… ';
/** Follows from the runs that were missed and doubled, which have rows. */
const JOBS = 'Jobs';
/** A goal of 0 needs no row: the tables of the scenarios show these counts. */
const NO_RUNS = '0';

/** Throws when the page has no markers. */
export async function writeDocumentation(results: BenchResults): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`docs/performance.md: put "${BEGIN}" and "${END}" where the results go`);
  const all = compareRuns(results.runs);
  const goals = `### Goals\n\n${formatTable(formatGoals(all).filter(([, limit]) => limit !== NO_RUNS))}`;
  const parts = [BEGIN, describeEnvironment(results), ...all.map(formatSection), goals, ...formatNotes(results), ''];
  await writeFile(PAGE, page.slice(0, begin) + parts.join('\n\n') + page.slice(end));
}

function describeEnvironment({ startedAt, commit, machine, versions, repetitions }: BenchResults): string {
  const times = repetitions === 1 ? 'One run of each.' : `Medians of ${repetitions} runs of each.`;
  return wrapParagraph(
    `${startedAt.slice(0, 10)}, commit \`${shortenCommit(commit)}\`, on ${machine}. ${versions}. ${times}`,
  );
}

/** Shortens the hash, and keeps a `-dirty` after it. */
function shortenCommit(commit: string): string {
  return commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1');
}

function formatSection(comparison: Comparison): string {
  const [head = [], ...rows] = formatRows(comparison, listDrivers(comparison.runs));
  const { scenario, count } = comparison;
  const drivers = rows.filter(([figure = '']) => !figure.startsWith(PART) && figure !== JOBS);
  return `### ${scenario}, ${count.toLocaleString('en-US')} CronJobs\n\n${formatTable([head, ...drivers])}`;
}

function formatNotes({ runs }: BenchResults): readonly string[] {
  const lines = runs.flatMap(({ scenario, count, driver, notes }) =>
    notes.map((note) => `- ${scenario}, ${count.toLocaleString('en-US')} CronJobs, ${DRIVERS[driver].title}: ${note}`),
  );
  return lines.length === 0 ? [] : [`Odd in these runs:\n\n${lines.join('\n')}`];
}
