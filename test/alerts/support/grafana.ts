/** Sends Prometheus the queries that Grafana would send for a dashboard, with all values of each variable selected. */
import type { Dashboard, Panel, PanelTarget, Variable } from '../../support/dashboards.ts';
import type { Prometheus } from './prometheus.ts';

/** Grafana's scrape interval for a data source without this setting. */
const SCRAPE_INTERVAL_SECONDS = 15;
/** The time range of the dashboard. */
const RANGE_SECONDS = 900;

/** One series: its last value that is a number. `undefined` without one. */
export interface QueryResult {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}

interface PrometheusSeries {
  readonly metric: Readonly<Record<string, string>>;
  /** Result of an instant query. */
  readonly value?: PrometheusValue;
  /** Result of a range query. */
  readonly values?: readonly PrometheusValue[];
}

type PrometheusValue = readonly [seconds: number, value: string];

export class Grafana {
  readonly #prometheus: Prometheus;
  readonly #dashboard: Dashboard;

  constructor(prometheus: Prometheus, dashboard: Dashboard) {
    this.#prometheus = prometheus;
    this.#dashboard = dashboard;
  }

  /** The options of a variable except `All`. */
  async listOptions(name: string): Promise<readonly string[]> {
    const variable = this.#dashboard.templating.list.find((each) => each.name === name);
    if (variable === undefined) throw new Error(`no variable ${name}`);
    return await this.#options(variable, await this.#resolveChoicesBefore(name));
  }

  /** The result of a query of a panel. Rejects when Prometheus refuses the query. */
  async query(panel: Panel, { expr, instant }: PanelTarget): Promise<readonly QueryResult[]> {
    const choices = { ...builtInVariables(panel), ...(await this.#resolveChoicesBefore()) };
    const expandedQuery = fillIn(expr, choices);
    const [start, end] = computeRange();
    const step = String(computeStepSeconds(panel));
    const { result } = instant
      ? await this.#prometheus.get<{ result: readonly PrometheusSeries[] }>('query', {
          query: expandedQuery,
          time: end,
        })
      : await this.#prometheus.get<{ result: readonly PrometheusSeries[] }>('query_range', {
          query: expandedQuery,
          start,
          end,
          step,
        });
    return result.map(({ metric, value, values = [] }) => ({
      labels: metric,
      value: (value === undefined ? values : [value]).map(([, text]) => Number(text)).findLast(Number.isFinite),
    }));
  }

  /** The value of each variable before `name`. A later variable may depend on an earlier one. */
  async #resolveChoicesBefore(name?: string): Promise<Readonly<Record<string, string>>> {
    const choices: Record<string, string> = {};
    for (const variable of this.#dashboard.templating.list) {
      if (variable.name === name) break;
      if (variable.type !== 'query') continue;
      const { allValue } = variable;
      choices[variable.name] = allValue ?? matchAny(await this.#options(variable, choices));
    }
    return choices;
  }

  async #options({ name, query }: Variable, choices: Readonly<Record<string, string>>): Promise<readonly string[]> {
    if (typeof query === 'string') throw new Error(`${name} asks nothing`);
    const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
    const [start, end] = computeRange();
    const parameters = { 'match[]': fillIn(selector, choices), start, end };
    return await this.#prometheus.get<readonly string[]>(`label/${label}/values`, parameters);
  }
}

function computeRange(): readonly [start: string, end: string] {
  const nowSeconds = Date.now() / 1000;
  return [String(nowSeconds - RANGE_SECONDS), String(nowSeconds)];
}

function computeStepSeconds({ interval }: Panel): number {
  if (interval === undefined) return SCRAPE_INTERVAL_SECONDS;
  const [, minutes] = /^(\d+)m$/.exec(interval) ?? [];
  return Number(minutes) * 60;
}

/** Grafana's own variables. */
function builtInVariables(panel: Panel): Readonly<Record<string, string>> {
  const rateSeconds = Math.max(computeStepSeconds(panel) + SCRAPE_INTERVAL_SECONDS, 4 * SCRAPE_INTERVAL_SECONDS);
  return { __range: `${RANGE_SECONDS}s`, __rate_interval: `${rateSeconds}s` };
}

/** Throws when a variable has no value. */
function fillIn(text: string, choices: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const choice = choices[name];
    if (choice === undefined) throw new Error(`no variable ${name}`);
    return choice;
  });
}

/** A regular expression for several values, within PromQL text, as Grafana's data source for Prometheus writes it. */
function matchAny(values: readonly string[]): string {
  const escaped = values.map((value) => value.replaceAll(/[\\$^*{}[\]'+?.()|]/g, '\\\\$&'));
  return escaped.length === 1 ? (escaped[0] ?? '') : `(${escaped.join('|')})`;
}
