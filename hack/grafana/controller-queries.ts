/** What the dashboard on the managers asks Prometheus. Each manager has series of its own. */
/** Within braces. */
export const OF_CHOSEN = 'job=~"$job", instance=~"$instance"';

export const rateOf = (counter: string, by: string, matchers = '') =>
  `sum by (${by}) (rate(${counter}{${OF_CHOSEN}${matchers}}[$__rate_interval]))`;
const quantile = (share: number, histogram: string, by: string) =>
  `histogram_quantile(${share}, ${rateOf(`${histogram}_bucket`, `le, ${by}`)})`;
/** Without `pod` where Prometheus does not find the managers by Kubernetes. */
export const eachManager = (gauge: string) => `max by (pod, instance) (${gauge}{${OF_CHOSEN}})`;
export const rateOfEachManager = (counter: string) => rateOf(counter, 'pod, instance');
export const MANAGER = '{{pod}} {{instance}}';

/** The median, and what 99 of 100 stay below, by one label. */
export const quantiles = (histogram: string, label: string) => [
  { legend: `{{${label}}}, p50`, expr: quantile(0.5, histogram, label) },
  { legend: `{{${label}}}, p99`, expr: quantile(0.99, histogram, label) },
];
export const QUANTILES = 'The median, and what 99 of 100 stay below.';

/** Adds up what may have no series, since a code has none before its first answer. */
export const answers = (codes: string) =>
  `(sum(rate(rest_client_requests_total{${OF_CHOSEN}, code=~"${codes}"}[$__rate_interval]))) or vector(0)`;
