/** Makes docs/metrics.md of the metrics that a registry has. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { MetricDescription } from 'controller-runtime';
import { FLAGS } from '../../cmd/flags.ts';
import { ALERTS } from '../alerts/alerts.ts';
import { code, table } from './markdown.ts';

const PROJECT = join(import.meta.dirname, '../..');

const HEAD = `# Metrics

The manager serves metrics at \`/metrics\` on the address of \`--${FLAGS.metricsBindAddress.name}\`; by default they are off. The manifests and the
chart turn them on. A histogram \`x\` has the series \`x_bucket\`, \`x_sum\` and \`x_count\`.`;

const OF_RUNS = 'Every reason and every result has a series from the start, with the value 0.';

const OF_EACH_CRON_JOB = `Only the leader exports these series, so that sums over all replicas are correct. The manager reads them from the cache at each scrape;
the series of a CronJob end when it is deleted. \`--${FLAGS.metricsMaxCronJobs.name}\` limits how many CronJobs have series (default ${FLAGS.metricsMaxCronJobs.default}).
\`cronjob_metrics_omitted > 0\` means that some have none. Not limited are those that alerts ask for: \`cronjob_overdue\`,
\`cronjob_paused\` and \`cronjob_waiting_job_start_timestamp_seconds\`. They have series where they have something to tell.

\`namespace\` is the namespace of the CronJob. Scrape with \`honor_labels: true\` (\`honorLabels\` in a ServiceMonitor): otherwise Prometheus
renames the label to \`exported_namespace\`, and the alerts below do not work.`;

const ON_ALERTS = `\`kubectl apply -k config/prometheus\`, or the chart's value \`prometheusRule.enabled=true\`, installs these as a PrometheusRule.
\`prometheusRule.labels\` are for a Prometheus that selects rules by labels. Each name leads to its page: what it means, how to find the
cause, how to fix it. \`prometheusRule.runbooks\` is the address of these pages in your copy of the documentation; \`runbook_url\` of each
alert begins with it. Without the Prometheus operator, put \`spec\` of [rules.yaml](../config/prometheus/rules.yaml) into a file of rules.`;

const ON_DASHBOARDS = `The chart has two [dashboards](../charts/cronjob-operator/files/dashboards) for Grafana 10 or newer: \`cronjobs.json\` shows what the CronJobs do
and which of them need attention, \`controller-runtime-metrics.json\` whether the managers keep up. Import a file with Dashboards > New > Import, and choose
the data source above the panels; or set the chart's value \`dashboards.enabled=true\`, which installs both in a ConfigMap for the sidecar of
Grafana. Panels link to the pages on alerts: their address in your copy of the documentation is above the panels too, and the chart takes it
from \`prometheusRule.runbooks\`.`;

const FURTHER_ALERTS = `### Further alerts

These are not installed. Their numbers are a start.

**CronJobWithoutSuccess**, for 1h: a CronJob that is not suspended had no successful run in the last 6 hours, or never. Replace 6 by more
hours than there are between two runs. A new CronJob has one hour for its first success. For CronJobs to which you cannot give
\`spec.expectSuccessWithinSeconds\`.

\`\`\`promql
cronjob_suspended == 0
  unless on (namespace, name) time() - cronjob_last_success_timestamp_seconds < 6 * 3600
\`\`\`

**CronJobSlotsMissed**, for 0m: runs were missed: they did not start, and will not.

\`\`\`promql
sum by (reason) (increase(cronjob_controller_missed_slots_total[1h])) > 0
\`\`\`

**CronJobQueueGrows**, for 10m: CronJobs wait to be reconciled. Normally the queue is empty again within a second or two.

\`\`\`promql
max by (controller) (workqueue_depth) > 100
\`\`\``;

const PROCESS = `## Process

\`process_*\` and \`nodejs_*\` are those of [prom-client](https://github.com/siimon/prom-client#default-metrics): CPU, memory, open
files, event loop lag, garbage collection. The set depends on the platform.`;

interface Section {
  readonly heading: string;
  /** Full names that belong here; the first section that matches has the metric. */
  readonly names: RegExp;
  readonly text?: string;
}

const SECTIONS: readonly Section[] = [
  { heading: 'Runs', names: /^cronjob_controller_/, text: OF_RUNS },
  { heading: 'Each CronJob', names: /^cronjob_/, text: OF_EACH_CRON_JOB },
  { heading: 'Webhooks', names: /webhook/ },
  { heading: 'Controllers', names: /^controller_runtime_/ },
  { heading: 'Queues', names: /^workqueue_/ },
  { heading: 'API server and lease', names: /./ },
];

const COLUMNS = ['Name', 'Type', 'Labels', 'Unit', 'Meaning'];

/** The page as Markdown. */
export function metricsPage(metrics: readonly MetricDescription[]): string {
  const parts = [HEAD];
  for (const section of SECTIONS) {
    const own = metrics.filter(({ name }) => SECTIONS.find(({ names }) => names.test(name)) === section);
    if (own.length === 0) continue;
    parts.push(`## ${section.heading}`);
    if (section.text !== undefined) parts.push(section.text);
    parts.push(table([COLUMNS, ...own.map(rowOf)]));
  }
  return `${[...parts, PROCESS, '## Dashboards', ON_DASHBOARDS, alerts()].join('\n\n')}\n`;
}

function rowOf(metric: MetricDescription): readonly string[] {
  return [code(metric.name), metric.type, labelsOf(metric), unitOf(metric.name), metric.help.replaceAll('<', '&lt;')];
}

function labelsOf({ labelNames = [], labelValues = {} }: MetricDescription): string {
  const labels = labelNames.map((name) => {
    const values = labelValues[name]?.map((value) => `\`${value}\``).join(', ');
    return values === undefined ? `\`${name}\`` : `\`${name}\`: ${values}`;
  });
  return labels.length === 0 ? '–' : labels.join('; ');
}

/** Prometheus wants the unit to be the last part of a name, but for `total`. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, '');
  if (base.endsWith('_timestamp_seconds')) return 'seconds since 1970';
  return /_(seconds|bytes)$/.exec(base)?.[1] ?? 'number';
}

function alerts(): string {
  const rows = ALERTS.map(({ alert, for: holdsFor, labels, annotations: { runbook_url: page } }) => [
    `[${alert}](${relative('docs', page)})`,
    holdsFor,
    labels.severity,
    firstSentenceOf(page),
  ]);
  return ['## Alerts', ON_ALERTS, table([['Alert', 'For', 'Severity', 'Means'], ...rows]), FURTHER_ALERTS].join('\n\n');
}

/** Below the heading. */
function firstSentenceOf(page: string): string {
  const [, paragraph = ''] = readFileSync(join(PROJECT, page), 'utf8').split('\n\n');
  return /^.*?\.(?= |$)/.exec(paragraph.replaceAll('\n', ' '))?.[0] ?? paragraph;
}
