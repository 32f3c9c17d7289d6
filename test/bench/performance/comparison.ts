/** Runs side by side: for each scenario and size, a row for each figure with the medians of all drivers and the ratios. */
import { DRIVER_NAMES, DRIVERS, type DriverName } from './drivers.ts';
import { FIGURES, type FigureName, median, NOT_OF_RAW_BURST } from './figures.ts';
import type { Run, ScenarioName } from './run.ts';

/** A figure for all drivers. */
export interface Row {
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
  readonly runs: readonly Run[];
  readonly rows: readonly Row[];
}

export function comparisons(runs: readonly Run[]): readonly Comparison[] {
  const groups = Map.groupBy(runs, ({ scenario, count }) => `${scenario} ${count}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { scenario, count } = first;
    return [{ scenario, count, runs: group, rows: [...figureRows(group), ...callRows(group)] }];
  });
}

function figureRows(runs: readonly Run[]): readonly Row[] {
  const names = Object.keys(FIGURES) as FigureName[]; // its own keys
  const rows = names.map((name) => {
    const { label, unit, ...figure } = FIGURES[name];
    return {
      name,
      label: unit === '' ? label : `${label} (${unit})`,
      values: medians(runs, (run) => figureOf(run, name)),
      hasRatio: !('isCount' in figure),
    };
  });
  return rows.filter(({ values }) => Object.keys(values).length > 0);
}

function callRows(runs: readonly Run[]): readonly Row[] {
  const calls = new Set(runs.flatMap(({ callsPerRun = {} }) => Object.keys(callsPerRun)));
  return [...calls].toSorted().map((call) => ({
    label: `… ${call}`,
    values: medians(runs, ({ callsPerRun }) => callsPerRun && (callsPerRun[call] ?? 0)),
    hasRatio: false,
  }));
}

function figureOf({ scenario, driver, figures }: Run, name: FigureName): number | undefined {
  return scenario === 'burst' && driver === 'raw' && NOT_OF_RAW_BURST.has(name) ? undefined : figures[name];
}

/** The median of each driver that has a value. */
function medians(runs: readonly Run[], of: (run: Run) => number | undefined): Row['values'] {
  const entries = DRIVER_NAMES.map((driver) => {
    const values = runs.filter((run) => run.driver === driver).map(of);
    return [driver, median(values.filter((value) => Number.isFinite(value)) as number[])] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => !Number.isNaN(value)));
}

/** The drivers in these runs. */
export function driversOf(runs: readonly Run[]): readonly DriverName[] {
  return DRIVER_NAMES.filter((name) => runs.some(({ driver }) => driver === name));
}

/** The rows as text, with a head, and a column for each driver. */
export function cellsOf({ rows }: Comparison, drivers: readonly DriverName[]): readonly (readonly string[])[] {
  const others = drivers.includes('ours') ? drivers.filter((driver) => driver !== 'ours') : [];
  const head = ['', ...drivers.map((driver) => DRIVERS[driver].title), ...others.map(ratioTitle)];
  return [
    head,
    ...rows.map((row) => [
      row.label,
      ...drivers.map((driver) => formatted(row.values[driver])),
      ...others.map((driver) => ratio(row, driver)),
    ]),
  ];
}

function ratioTitle(driver: DriverName): string {
  return `ratio to ${DRIVERS[driver].title}`;
}

function ratio({ values, hasRatio }: Row, driver: DriverName): string {
  const [own, other] = [values.ours, values[driver]];
  return hasRatio && own !== undefined && other ? formatted(own / other) : '';
}

/** Three significant digits, without an exponent. */
function formatted(value: number | undefined): string {
  if (value === undefined) return '–';
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
