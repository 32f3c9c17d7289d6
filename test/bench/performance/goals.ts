/** The goals of this operator, and whether it meets them. */
import type { Comparison, ComparisonRow } from './comparison.ts';
import { DRIVERS, type DriverName } from './drivers.ts';
import { FIGURES, type FigureName } from './figures.ts';
import type { ScenarioName } from './run.ts';

interface Goal {
  readonly scenario: ScenarioName;
  /** Number of CronJobs that the goal applies to. Default: any number. */
  readonly count?: number;
  readonly figure: FigureName;
  readonly max: number;
  /** The driver whose figure is the unit. Default: the figure itself counts. */
  readonly times?: Exclude<DriverName, 'ours'>;
}

const GOALS: readonly Goal[] = [
  { scenario: 'burst', count: 1000, figure: 'jobMax', max: 1.15, times: 'raw' },
  { scenario: 'burst', count: 5000, figure: 'jobMax', max: 1.2, times: 'raw' },
  { scenario: 'burst', count: 10_000, figure: 'jobMax', max: 1.2, times: 'raw' },
  { scenario: 'burst', figure: 'statusMax', max: 1.25, times: 'raw' },
  { scenario: 'burst', count: 1000, figure: 'cpuPer1000', max: 1, times: 'kubernetes' },
  { scenario: 'burst', count: 1000, figure: 'peakMiB', max: 125 },
  { scenario: 'burst', count: 10_000, figure: 'peakMiB', max: 300 },
  { scenario: 'burst', figure: 'missed', max: 0 },
  { scenario: 'burst', figure: 'doubled', max: 0 },
  { scenario: 'burst', figure: 'eventsMissing', max: 0 },
  { scenario: 'steady', figure: 'calls', max: 1, times: 'kubernetes' },
  { scenario: 'steady', figure: 'cpuPer1000', max: 0.8, times: 'kubernetes' },
  { scenario: 'steady', count: 1000, figure: 'peakMiB', max: 150 },
  { scenario: 'restart', figure: 'missed', max: 0 },
  { scenario: 'restart', figure: 'doubled', max: 0 },
  { scenario: 'idle', count: 1000, figure: 'idleMiB', max: 105 },
  { scenario: 'start', figure: 'inSync', max: 2.5, times: 'raw' },
];

/** A row for each goal that these runs cover, with a head: the figure, the limit, the value, and whether it meets the goal. */
export function formatGoals(all: readonly Comparison[]): readonly (readonly string[])[] {
  const rows = all.flatMap((comparison) =>
    GOALS.filter(({ scenario, count = comparison.count }) => {
      return scenario === comparison.scenario && count === comparison.count;
    }).flatMap((goal) => formatGoal(goal, comparison)),
  );
  return [['Goal', 'at most', 'measured', 'met'], ...rows];
}

function formatGoal(
  { figure, max: most, times }: Goal,
  { scenario, count, rows }: Comparison,
): readonly (readonly string[])[] {
  const measured = getMeasuredValue(rows.find(({ name }) => name === figure)?.values ?? {}, times);
  if (measured === undefined) return [];
  const { label, unit } = FIGURES[figure];
  const formatAmount = (amount: number) =>
    `${Number(amount.toFixed(2))} ${times ? `× ${DRIVERS[times].title}` : unit}`.trim();
  const title = `${scenario}, ${count.toLocaleString('en-US')} CronJobs: ${label}`;
  return [[title, formatAmount(most), formatAmount(measured), measured <= most ? 'yes' : '**no**']];
}

function getMeasuredValue(values: ComparisonRow['values'], times: Goal['times']): number | undefined {
  if (values.ours === undefined || times === undefined) return values.ours;
  const other = values[times];
  return other ? values.ours / other : undefined;
}
