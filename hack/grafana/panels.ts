/** The kinds of panels that our dashboards have, as Grafana's JSON. */
import { ALERTS } from '../alerts/alerts.ts';

/** An object of Grafana's JSON. */
export type Json = Readonly<Record<string, unknown>>;

export interface Query {
  /** PromQL, with Grafana's variables. */
  readonly expr: string;
  /** Names a series, with its labels in double braces. In a table it is the heading of a column. */
  readonly legend: string;
}

interface PanelText {
  readonly title: string;
  /** What is shown, and when to worry. */
  readonly description: string;
  /** Names of the alerts on what is shown. The panel has links to their pages. */
  readonly alerts?: readonly string[];
}

interface PanelOptions extends PanelText {
  readonly queries: readonly Query[];
  /** Grafana's name of the unit of all values. */
  readonly unit: string;
  /** Of 24 columns. */
  readonly width?: number;
}

/** A panel but for its id and its place. */
export interface Panel {
  readonly width: number;
  readonly height: number;
  readonly json: Json;
}

/** The data source that the user has chosen. */
export const DATA_SOURCE: Json = { type: 'prometheus', uid: `\${datasource}` };

const ONLY_LAST: Json = { calcs: ['lastNotNull'], fields: '', values: false };

/** Values over time. */
export function lines(options: PanelOptions): Panel {
  const { queries, unit, width = 12 } = options;
  const json = {
    type: 'timeseries',
    ...described(options),
    targets: targetsOf(queries, { range: true }),
    fieldConfig: defaultsOf({ unit, min: 0, custom: { drawStyle: 'line', fillOpacity: 10, showPoints: 'auto' } }),
    options: { legend: legendWith('lastNotNull', 'max'), tooltip: { mode: 'multi', sort: 'desc' } },
  };
  return { width, height: 8, json };
}

/**
 * About how often something happened in each step of time, which is five minutes at least. What Prometheus scrapes between two steps counts
 * in both: else it would be lost.
 */
export function bars(options: PanelOptions): Panel {
  const { queries, unit, width = 12 } = options;
  const custom = { drawStyle: 'bars', fillOpacity: 80, stacking: { mode: 'normal', group: 'A' } };
  const json = {
    type: 'timeseries',
    ...described(options),
    interval: '5m',
    targets: targetsOf(queries, { range: true }),
    fieldConfig: defaultsOf({ unit, min: 0, custom }),
    options: { legend: legendWith('max'), tooltip: { mode: 'multi', sort: 'desc' } },
  };
  return { width, height: 8, json };
}

interface StatesOptions extends Omit<PanelOptions, 'unit'> {
  /** What the values 1 and 0 mean. */
  readonly texts: { readonly one: string; readonly zero: string };
}

/** Which of two states there was, over time. */
export function states(options: StatesOptions): Panel {
  const { queries, texts, width = 12 } = options;
  const values = {
    1: { index: 0, text: texts.one, color: 'green' },
    0: { index: 1, text: texts.zero, color: 'blue' },
  };
  const mappings = [{ type: 'value', options: values }];
  const json = {
    type: 'state-timeline',
    ...described(options),
    targets: targetsOf(queries, { range: true }),
    fieldConfig: defaultsOf({ unit: 'short', mappings, custom: { fillOpacity: 70, lineWidth: 0 } }),
    options: { showValue: 'auto', mergeValues: true, rowHeight: 0.8, legend: legendWith() },
  };
  return { width, height: 8, json };
}

interface NumberOptions extends Omit<PanelOptions, 'queries'> {
  readonly expr: string;
  /** Which values are shown in red: those from a value on, or those below one. */
  readonly isRed?: { readonly from: number } | { readonly below: number };
}

/** A number as it is now. */
export function number(options: NumberOptions): Panel {
  const { expr, unit, isRed, width = 4 } = options;
  const json = {
    type: 'stat',
    ...described(options),
    targets: targetsOf([{ expr, legend: options.title }], { instant: true }),
    fieldConfig: defaultsOf({ unit, decimals: 0, thresholds: { mode: 'absolute', steps: stepsOf(isRed) } }),
    options: { reduceOptions: ONLY_LAST, colorMode: 'value', graphMode: 'none', textMode: 'value' },
  };
  return { width, height: 3, json };
}

/** Numbers as they are now, below each other. */
export function numbers(options: PanelOptions): Panel {
  const { queries, unit, width = 6 } = options;
  const json = {
    type: 'bargauge',
    ...described(options),
    targets: targetsOf(queries, { instant: true }),
    fieldConfig: defaultsOf({ unit, min: 0, decimals: 0, color: { mode: 'fixed', fixedColor: 'blue' } }),
    options: { reduceOptions: ONLY_LAST, orientation: 'horizontal', displayMode: 'basic', showUnfilled: true },
  };
  return { width, height: 8, json };
}

/** Unit of a time in milliseconds since 1970. In a table, 0 is none. */
export const TIME = 'dateTimeAsIso';

const NO_TIME: Json = { type: 'value', options: { 0: { text: '–' } } };

interface TableOptions extends PanelText {
  /** What comes after namespace and name. The first one has a value for every row. */
  readonly columns: readonly (Query & { readonly unit: string })[];
  /** Which column sorts the rows, and how. */
  readonly sortBy: { readonly column: string; readonly isDescending: boolean };
  readonly width?: number;
  readonly height?: number;
}

/** CronJobs as they are now: all for which a query has a value. */
export function table(options: TableOptions): Panel {
  const { columns, sortBy, width = 12, height = 8 } = options;
  const targets = targetsOf(columns, { instant: true }).map((target) => ({ ...target, format: 'table' }));
  const headings = columns.map(({ legend }, index) => [`Value #${letterOf(index)}`, legend] as const);
  // Without a letter where only the first query has found something.
  const names = ['namespace', 'name', 'Value', ...headings.map(([value]) => value)];
  const organize = {
    excludeByName: { Time: true },
    indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
    renameByName: {
      namespace: 'Namespace',
      name: 'Name',
      Value: columns[0]?.legend,
      ...Object.fromEntries(headings),
    },
  };
  const overrides = columns.map(({ legend, unit }) => ({
    matcher: { id: 'byName', options: legend },
    properties: [{ id: 'unit', value: unit }, ...(unit === TIME ? [{ id: 'mappings', value: [NO_TIME] }] : [])],
  }));
  const json = {
    type: 'table',
    ...described(options),
    targets,
    transformations: [
      { id: 'merge', options: {} },
      { id: 'organize', options: organize },
    ],
    fieldConfig: { ...defaultsOf({ custom: { align: 'left', filterable: true } }), overrides },
    options: {
      showHeader: true,
      cellHeight: 'sm',
      sortBy: [{ displayName: sortBy.column, desc: sortBy.isDescending }],
    },
  };
  return { width, height, json };
}

function letterOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

/** Throws when there is no such alert. */
function described({ title, description, alerts = [] }: PanelText): Json {
  const links = alerts.map((alert) => {
    if (!ALERTS.some(({ name }) => name === alert)) throw new Error(`no alert ${alert}`);
    return { title: `Runbook: ${alert}`, url: `\${runbooks}/${alert}.md`, targetBlank: true };
  });
  return { title, description, datasource: DATA_SOURCE, links };
}

function targetsOf(queries: readonly Query[], kind: { readonly instant: true } | { readonly range: true }) {
  return queries.map(({ expr, legend }, index) => ({
    refId: letterOf(index),
    datasource: DATA_SOURCE,
    expr,
    legendFormat: legend,
    instant: 'instant' in kind,
    range: 'range' in kind,
  }));
}

function defaultsOf(defaults: Json): Json {
  return { defaults, overrides: [] };
}

function legendWith(...calcs: readonly string[]): Json {
  return { showLegend: true, displayMode: calcs.length === 0 ? 'list' : 'table', placement: 'bottom', calcs };
}

/** Grafana wants the first step to have no value: it begins below all. */
function stepsOf(isRed: NumberOptions['isRed']): readonly Json[] {
  if (isRed === undefined) return [{ color: 'text', value: null }];
  const [low, high] = 'from' in isRed ? ['green', 'red'] : ['red', 'green'];
  return [
    { color: low, value: null },
    { color: high, value: 'from' in isRed ? isRed.from : isRed.below },
  ];
}
