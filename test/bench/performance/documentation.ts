/** Writes the results into docs/performance.md, between its markers, and the charts beside it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { paragraph, table } from '../../../hack/docs/markdown.ts';
import { type Comparison, cellsOf, comparisons, driversOf } from './comparison.ts';
import { DRIVER_NAMES, DRIVERS, type DriverName } from './drivers.ts';
import { goalCells } from './goals.ts';
import type { Results } from './results.ts';
import type { Run } from './run.ts';
import { type Chart, type Series, stepChart } from './step-chart.ts';

const PAGE = new URL('../../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- Results: written by make bench ARGS=--write-docs. DO NOT EDIT. -->';
const END = '<!-- End of results. -->';

const LOOKS: Readonly<Record<DriverName, Series['look']>> = { ours: 'own', kubernetes: 'other', raw: 'limit' };

/** What is counted in a chart, and the figure that it ends with. */
const CHARTS = [
  { file: 'images/performance-jobs.svg', what: 'Jobs created', series: 'jobSeconds', figure: 'jobMax' },
  { file: 'images/performance-statuses.svg', what: 'Statuses written', series: 'statusSeconds', figure: 'statusMax' },
] as const;

/** Writes page and charts. Throws when the page has no markers. */
export async function writeDocumentation(results: Results): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`docs/performance.md: put "${BEGIN}" and "${END}" where the results go`);
  const all = comparisons(results.runs);
  const images = await writeCharts(all);
  const goals = `### Goals\n\n${table(goalCells(all))}`;
  const parts = [BEGIN, circumstances(results), ...images, ...all.map(section), goals, ...notes(results), ''];
  await writeFile(PAGE, page.slice(0, begin) + parts.join('\n\n') + page.slice(end));
}

function circumstances({ startedAt, commit, machine, versions, repetitions }: Results): string {
  const times = repetitions === 1 ? 'One run of each.' : `Medians of ${repetitions} runs of each.`;
  return paragraph(`${startedAt.slice(0, 10)}, commit \`${shortened(commit)}\`, on ${machine}. ${versions}. ${times}`);
}

/** The hash is, and a `-dirty` behind it stays. */
function shortened(commit: string): string {
  return commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1');
}

function section(comparison: Comparison): string {
  const [head = [], ...rows] = cellsOf(comparison, driversOf(comparison.runs));
  const { scenario, count } = comparison;
  return `### ${scenario}, ${count.toLocaleString('en-US')} CronJobs\n\n${table([head, ...rows])}`;
}

/** Charts of the largest burst; resolves to the Markdown that shows them. */
async function writeCharts(all: readonly Comparison[]): Promise<readonly string[]> {
  const bursts = all.filter(({ scenario }) => scenario === 'burst');
  const largest = bursts.toSorted((left, right) => right.count - left.count)[0];
  if (largest === undefined) return [];
  const shown = [];
  for (const { file, what, series, figure } of CHARTS) {
    const runs = DRIVER_NAMES.flatMap((driver) => {
      const run = medianRun(
        largest.runs.filter((each) => each.driver === driver),
        figure,
      );
      return run === undefined
        ? []
        : [{ name: DRIVERS[driver].title, seconds: run[series] ?? [], look: LOOKS[driver] }];
    });
    const description = runs
      .map(({ name, seconds }) => `${name}: the last after ${seconds.at(-1)?.toFixed(1)} s`)
      .join('; ');
    const title = `${what}, of ${largest.count.toLocaleString('en-US')} that are due at once`;
    const chart: Chart = { title, description, counted: what, series: runs };
    const target = new URL(file, PAGE);
    await mkdir(dirname(target.pathname), { recursive: true });
    await writeFile(target, stepChart(chart));
    shown.push(`![${title}. ${description}.](${file})`);
  }
  return shown;
}

/** The run in the middle by that figure. */
function medianRun(runs: readonly Run[], figure: 'jobMax' | 'statusMax'): Run | undefined {
  const sorted = runs.toSorted((left, right) => (left.figures[figure] ?? 0) - (right.figures[figure] ?? 0));
  return sorted[Math.ceil(sorted.length / 2) - 1];
}

function notes({ runs }: Results): readonly string[] {
  const lines = runs.flatMap(({ scenario, count, driver, notes }) =>
    notes.map((note) => `- ${scenario}, ${count.toLocaleString('en-US')} CronJobs, ${DRIVERS[driver].title}: ${note}`),
  );
  return lines.length === 0 ? [] : [`Odd in these runs:\n\n${lines.join('\n')}`];
}
