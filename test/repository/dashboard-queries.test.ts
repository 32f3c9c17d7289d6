/** Whether the metrics and labels in the dashboards exist in the manager. test/alerts/dashboards.test.ts queries a Prometheus. */
import { PrometheusMetrics } from 'controller-runtime/internal';
import { expect, test } from 'vitest';
import { listManagerMetrics } from '../../hack/docs/manager-metrics.ts';
import { listPanels, readDashboards } from '../support/dashboards.ts';

/** Labels that Prometheus adds to the series of a target; `namespace` and `pod` when it discovers the target through Kubernetes. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'le'];
/** Suffixes of the series of histograms. */
const SUFFIXES = ['', '_bucket', '_sum', '_count'];
/** A metric with its matchers. Every metric has matchers, which exclude series of other programs. */
const SELECTOR = /\b([a-z_]\w*)\{([^{}]*)\}/g;
const PROMQL =
  /^(sum|max|min|count|by|rate|increase|changes|bottomk|histogram_quantile|clamp_min|time|vector|and|or|unless)$/;

const metrics = [...listManagerMetrics(), ...(await listProcessMetrics())];
const queries = Object.entries(readDashboards()).flatMap(([file, dashboard]) =>
  listPanels(dashboard).flatMap(({ title, targets = [] }) => targets.map((target) => ({ file, title, ...target }))),
);

test.each(queries)('$file: $title: $expr: uses only metrics and labels of the manager', ({ expr, legendFormat }) => {
  const selectors = [...expr.matchAll(SELECTOR)];
  const metricNames = selectors.map(([, name = '']) => findMetric(name) ?? name);
  expect(metricNames.filter((metric) => typeof metric === 'string')).toEqual([]);

  const groups = [...expr.matchAll(/\bby \(([a-z_, ]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  const matched = selectors.flatMap(([, , matchers = '']) =>
    [...matchers.matchAll(/(\w+)=/g)].map(([, label]) => label),
  );
  const labels = metricNames.flatMap((metric) => (typeof metric === 'string' ? [] : (metric.labelNames ?? [])));
  expect([...TARGET_LABELS, ...labels]).toEqual(expect.arrayContaining([...groups, ...matched]));

  const inLegend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
  expect(groups).toEqual(expect.arrayContaining(inLegend));

  const rest = expr.replaceAll(SELECTOR, ' ').replaceAll(/"[^"]*"|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  expect((rest.match(/\b[a-z_]\w*/g) ?? []).filter((word) => !PROMQL.test(word))).toEqual([]);
});

test('every metric of docs/metrics.md is on a panel', () => {
  const shownMetrics = queries.flatMap(({ expr }) =>
    [...expr.matchAll(SELECTOR)].map(([, name = '']) => findMetric(name)),
  );
  expect(listManagerMetrics().filter(({ name }) => !shownMetrics.some((metric) => metric?.name === name))).toEqual([]);
});

function findMetric(series: string) {
  return metrics.find(({ name }) => SUFFIXES.some((suffix) => series === name + suffix));
}

/** `process_*` and `nodejs_*`. Queries do not use their labels. */
async function listProcessMetrics() {
  const { registry } = new PrometheusMetrics();
  registry.addProcessMetrics();
  const { body } = await registry.render();
  const names = [...body.matchAll(/^# TYPE ((?:process|nodejs)_\w+) /gm)].map(([, name = '']) => name);
  return names.map((name) => ({ name, labelNames: [] as readonly string[] }));
}
