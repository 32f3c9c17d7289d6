/** Whether the dashboards ask for metrics and labels that the manager has. test/alerts/dashboards.test.ts asks a Prometheus. */
import { type MetricDescription, PrometheusMetrics } from 'controller-runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Dashboard, dashboards, panelsOf } from '../../test/support/dashboards.ts';
import { managerMetrics } from '../docs/manager-metrics.ts';

/** What Prometheus adds to the series of a target; `namespace` and `pod` where it finds the target by Kubernetes. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod'];

/** What our queries are made of besides metrics and labels. */
const PROMQL =
  /^(sum|max|min|count|by|rate|increase|changes|bottomk|histogram_quantile|clamp_min|time|vector|and|or|unless)$/;

/** A metric with its matchers, and its range if it has one. Every metric has matchers: they keep out those of other programs. */
const SELECTOR = /\b([a-z_]\w*)\{([^{}]*)\}(\[[$\w]+\])?/g;

/** `by (le, result)` */
const GROUPING = /\bby \(([a-z_, ]*)\)/g;

interface Series {
  readonly metric: Pick<MetricDescription, 'name' | 'type' | 'labelValues'>;
  readonly labels: readonly string[];
}

/** By the name that a query has for it. */
let known: ReadonlyMap<string, Series>;

beforeAll(async () => {
  known = new Map([...managerMetrics(), ...(await processMetrics())].flatMap(seriesOf));
});

const QUERIES = Object.entries(dashboards()).flatMap(([file, dashboard]) =>
  panelsOf(dashboard).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ file, title, expr, legendFormat })),
  ),
);

describe.each(QUERIES)('$file: $title: $expr', ({ expr, legendFormat }) => {
  test('has only metrics of the manager, with their labels', () => {
    expect(unknownIn(expr)).toEqual([]);
  });

  test('has a legend of labels that are left', () => {
    const left = groupedBy(expr);
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(left).toContain(label);
  });
});

describe.each(Object.entries(dashboards()))('the variables of %s', (_, dashboard) => {
  test.each(queriesOfVariables(dashboard))('%s', (query) => {
    const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
    const withMatchers = selector.endsWith('}') ? selector : `${selector}{}`;
    expect(unknownIn(`${withMatchers}[5m]`)).toEqual([]); // of a series any value will do
    const labels = known.get(selector.replace(/\{.*/, ''))?.labels ?? [];
    expect([...labels, ...TARGET_LABELS]).toContain(label);
  });
});

test('every metric of docs/metrics.md is on a panel', () => {
  const asked = new Set(QUERIES.flatMap(({ expr }) => [...expr.matchAll(SELECTOR)].map(([, name = '']) => name)));
  const shown = new Set([...asked].map((name) => known.get(name)?.metric.name));
  expect(managerMetrics().filter(({ name }) => !shown.has(name))).toEqual([]);
});

test.each([
  ['sum(cronjob_overdu{job="a"})', ['cronjob_overdu']],
  ['sum(cronjob_overdue)', ['cronjob_overdue']],
  ['sum by (reasn) (rate(cronjob_controller_missed_slots_total{job="a"}[5m]))', ['reasn']],
  ['sum(cronjob_overdue{nam="a"})', ['cronjob_overdue{nam="a"}']],
  [
    'rate(controller_runtime_reconcile_total{result="eror"}[5m])',
    ['controller_runtime_reconcile_total{result="eror"}'],
  ],
  ['cronjob_controller_run_duration_seconds{job="a"}', ['cronjob_controller_run_duration_seconds']],
  ['sum(cronjob_controller_missed_slots_total{job="a"})', ['cronjob_controller_missed_slots_total without a range']],
  ['averag(cronjob_overdue{job="a"})', ['averag']],
])('finds the mistake in %s', (expr, mistakes) => {
  expect(unknownIn(expr)).toEqual(mistakes);
});

/** What of an expression the manager, or PromQL, does not have. */
function unknownIn(expr: string): readonly string[] {
  const selectors = [...expr.matchAll(SELECTOR)];
  const all = selectors.flatMap(([, name = '']) => known.get(name)?.labels ?? []);
  const groups = groupedBy(expr).filter((label) => ![...all, ...TARGET_LABELS].includes(label));
  const words = expr.replaceAll(SELECTOR, ' ').replaceAll(GROUPING, ' by ');
  const others = (words.match(/\b[a-z_]\w*/g) ?? []).filter((word) => !PROMQL.test(word));
  return [...selectors.flatMap(unknownInSelector), ...groups, ...others];
}

function unknownInSelector([, name = '', matchers = '', range]: RegExpExecArray): readonly string[] {
  const series = known.get(name);
  if (series === undefined) return [name];
  const { metric, labels } = series;
  const wrong = [...matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)].filter(([, label = '', operator, value = '']) => {
    const values = metric.labelValues?.[label];
    const hasValue = operator !== '=' || values === undefined || values.includes(value);
    return !hasValue || ![...labels, ...TARGET_LABELS].includes(label);
  });
  const isWithoutRange = metric.type !== 'gauge' && range === undefined;
  return [...wrong.map(([matcher]) => `${name}{${matcher}}`), ...(isWithoutRange ? [`${name} without a range`] : [])];
}

function groupedBy(expr: string): readonly string[] {
  return [...expr.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.split(', '));
}

function queriesOfVariables({ templating }: Dashboard): readonly string[] {
  return templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
}

function seriesOf(metric: MetricDescription): readonly (readonly [string, Series])[] {
  const { name, type, labelNames = [] } = metric;
  if (type !== 'histogram') return [[name, { metric, labels: labelNames }]];
  const ofHistogram = (suffix: string, labels: readonly string[]) => [`${name}_${suffix}`, { metric, labels }] as const;
  return [
    ofHistogram('bucket', [...labelNames, 'le']),
    ofHistogram('sum', labelNames),
    ofHistogram('count', labelNames),
  ];
}

/** `process_*` and `nodejs_*`. Their labels are not described, and not asked for. */
async function processMetrics(): Promise<readonly MetricDescription[]> {
  const { registry } = new PrometheusMetrics();
  registry.addProcessMetrics();
  const { body } = await registry.render();
  const ofProcess = [...body.matchAll(/^# TYPE ((?:process|nodejs)_\w+) (counter|gauge|histogram)$/gm)];
  return ofProcess.map(([, name = '', type]) => ({ name, type: type as MetricDescription['type'], help: '' }));
}
