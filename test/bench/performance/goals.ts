/** What this operator should reach, and whether it does. */
import type { Comparison, Row } from './comparison.ts';
import { FIGURES, type FigureName } from './figures.ts';
import type { ScenarioName } from './run.ts';

/** The figure must not exceed so many times that of the other driver, or so much. */
type Limit =
  | { readonly kind: 'ratio'; readonly to: 'kubernetes' | 'raw'; readonly most: number }
  | { readonly kind: 'value'; readonly most: number };

interface Goal {
  readonly scenario: ScenarioName;
  /** Only of so many CronJobs. Default: of any number. */
  readonly count?: number;
  readonly figure: FigureName;
  readonly limit: Limit;
}

const toRaw = (most: number): Limit => ({ kind: 'ratio', to: 'raw', most });
const AT_MOST_KUBERNETES: Limit = { kind: 'ratio', to: 'kubernetes', most: 1 };
const value = (most: number): Limit => ({ kind: 'value', most });

const GOALS: readonly Goal[] = [
  { scenario: 'burst', figure: 'jobMax', limit: toRaw(1.3) },
  { scenario: 'burst', figure: 'statusMax', limit: toRaw(1.25) },
  { scenario: 'burst', count: 1000, figure: 'peakMiB', limit: AT_MOST_KUBERNETES },
  { scenario: 'burst', count: 5000, figure: 'peakMiB', limit: AT_MOST_KUBERNETES },
  { scenario: 'burst', count: 10_000, figure: 'peakMiB', limit: value(300) },
  { scenario: 'burst', figure: 'missed', limit: value(0) },
  { scenario: 'burst', figure: 'doubled', limit: value(0) },
  { scenario: 'burst', figure: 'eventsMissing', limit: value(0) },
  { scenario: 'steady', figure: 'calls', limit: AT_MOST_KUBERNETES },
  { scenario: 'steady', figure: 'cpuPer1000', limit: AT_MOST_KUBERNETES },
  { scenario: 'steady', count: 1000, figure: 'peakMiB', limit: value(150) },
  { scenario: 'restart', figure: 'missed', limit: value(0) },
  { scenario: 'restart', figure: 'doubled', limit: value(0) },
  { scenario: 'idle', count: 1000, figure: 'idleMiB', limit: value(100) },
  { scenario: 'idle', count: 1000, figure: 'idleMiB', limit: toRaw(1.25) },
  { scenario: 'start', figure: 'inSync', limit: toRaw(3) },
];

/** A row for each goal that these runs tell of, with a head: what, how much at most, what it is, and whether that is enough. */
export function goalCells(all: readonly Comparison[]): readonly (readonly string[])[] {
  const rows = all.flatMap((comparison) =>
    GOALS.filter(({ scenario, count = comparison.count }) => {
      return scenario === comparison.scenario && count === comparison.count;
    }).flatMap((goal) => cellsOf(goal, comparison)),
  );
  return [['Goal', 'at most', 'measured', 'met'], ...rows];
}

function cellsOf({ figure, limit }: Goal, { scenario, count, rows }: Comparison): readonly (readonly string[])[] {
  const row = rows.find(({ name }) => name === figure);
  const measured = row && measuredBy(row, limit);
  if (measured === undefined) return [];
  const what = `${scenario}, ${count.toLocaleString('en-US')} CronJobs: ${FIGURES[figure].label}`;
  const { unit } = FIGURES[figure];
  const inWords = (amount: number) => {
    const rounded = String(Number(amount.toFixed(2)));
    return limit.kind === 'value' ? `${rounded} ${unit}`.trim() : `${rounded} × ${OTHERS[limit.to]}`;
  };
  return [[what, inWords(limit.most), inWords(measured), measured <= limit.most ? 'yes' : '**no**']];
}

const OTHERS = { kubernetes: 'Kubernetes', raw: 'plain client' } as const;

function measuredBy({ values }: Row, limit: Limit): number | undefined {
  if (values.ours === undefined || limit.kind === 'value') return values.ours;
  const other = values[limit.to];
  return other ? values.ours / other : undefined;
}
