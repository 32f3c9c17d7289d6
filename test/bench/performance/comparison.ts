/** Runs side by side: for each scenario and size, a row for each figure with the medians of all drivers and the ratios. */
import { DRIVER_NAMES, DRIVERS, type DriverName } from './drivers.ts';
import { computeMedian, FIGURES, FIGURES_WITHOUT_RAW_BURST, type FigureName } from './figures.ts';
import type { ScenarioName, TrialRun } from './run.ts';

/** A figure for all drivers. */
export interface ComparisonRow {
  /** Absent for the number of an API call. */
  readonly name?: FigureName;
  readonly label: string;
  readonly values: Partial<Readonly<Record<DriverName, number>>>;
  readonly hasRatio: boolean;
}

/** Runs to compare: a scenario with this number of CronJobs. */
export interface Comparison {
  readonly scenario: ScenarioName;
  readonly count: number;
  readonly runs: readonly TrialRun[];
  readonly rows: readonly ComparisonRow[];
}

export function compareRuns(runs: readonly TrialRun[]): readonly Comparison[] {
  const groups = Map.groupBy(runs, ({ scenario, count }) => `${scenario} ${count}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { scenario, count } = first;
    return [{ scenario, count, runs: group, rows: [...createFigureRows(group), ...createCallRows(group)] }];
  });
}

function createFigureRows(runs: readonly TrialRun[]): readonly ComparisonRow[] {
  const names = Object.keys(FIGURES) as FigureName[]; // its own keys
  const rows = names.map((name) => {
    const { label, unit, ...figure } = FIGURES[name];
    return {
      name,
      label: unit === '' ? label : `${label} (${unit})`,
      values: computeMedians(runs, (run) => getFigure(run, name)),
      hasRatio: !('isCount' in figure),
    };
  });
  return rows.filter(({ values }) => Object.keys(values).length > 0);
}

function createCallRows(runs: readonly TrialRun[]): readonly ComparisonRow[] {
  const calls = new Set(runs.flatMap(({ callsPerRun = {} }) => Object.keys(callsPerRun)));
  return [...calls].toSorted().map((call) => ({
    label: `… ${call}`,
    values: computeMedians(runs, ({ callsPerRun }) => callsPerRun && (callsPerRun[call] ?? 0)),
    hasRatio: false,
  }));
}

function getFigure({ scenario, driver, figures }: TrialRun, name: FigureName): number | undefined {
  return scenario === 'burst' && driver === 'raw' && FIGURES_WITHOUT_RAW_BURST.has(name) ? undefined : figures[name];
}

/** The median of each driver that has a value. */
function computeMedians(
  runs: readonly TrialRun[],
  getValue: (run: TrialRun) => number | undefined,
): ComparisonRow['values'] {
  const entries = DRIVER_NAMES.map((driver) => {
    const values = runs.filter((run) => run.driver === driver).map(getValue);
    return [driver, computeMedian(values.filter((value) => Number.isFinite(value)) as number[])] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => !Number.isNaN(value)));
}

/** The drivers in these runs. */
export function listDrivers(runs: readonly TrialRun[]): readonly DriverName[] {
  return DRIVER_NAMES.filter((name) => runs.some(({ driver }) => driver === name));
}

/** The rows as text, with a head, and a column for each driver. Omits counts that are 0 for all drivers. */
export function formatRows({ rows }: Comparison, drivers: readonly DriverName[]): readonly (readonly string[])[] {
  const others = drivers.includes('ours') ? drivers.filter((driver) => driver !== 'ours') : [];
  const head = ['', ...drivers.map((driver) => DRIVERS[driver].title), ...others.map(formatRatioTitle)];
  return [
    head,
    ...rows
      .filter(hasContent)
      .map((row) => [
        row.label,
        ...drivers.map((driver) => formatValue(row.values[driver])),
        ...others.map((driver) => formatRatio(row, driver)),
      ]),
  ];
}

function hasContent({ hasRatio, values }: ComparisonRow): boolean {
  return hasRatio || Object.values(values).some((value) => value !== 0);
}

function formatRatioTitle(driver: DriverName): string {
  return `ratio to ${DRIVERS[driver].title}`;
}

function formatRatio({ values, hasRatio }: ComparisonRow, driver: DriverName): string {
  const [own, other] = [values.ours, values[driver]];
  return hasRatio && own !== undefined && other ? formatValue(own / other) : '';
}

/** Three significant digits, without an exponent. */
function formatValue(value: number | undefined): string {
  if (value === undefined) return '–';
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
