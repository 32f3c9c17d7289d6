/** Generates docs/metrics.md: the text of metrics.md with a table at each placeholder. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { MetricDescription } from 'controller-runtime';
import { FLAGS } from '../../cmd/flags.ts';
import { ALERTS } from '../alerts/alerts.ts';
import { formatCode, formatTable } from './markdown.ts';

const PROJECT = join(import.meta.dirname, '../..');
const TEMPLATE = readFileSync(join(import.meta.dirname, 'metrics.md'), 'utf8');
/** A placeholder for a table, with the pattern of the full names of its metrics. A metric is in the table of the first matching pattern. */
const PLACEHOLDER = /<!-- metrics: (\S+) -->/g;
const COLUMNS = ['Name', 'Type', 'Labels', 'Meaning'];

export function renderMetricsPage(metrics: readonly MetricDescription[]): string {
  const patterns = [...TEMPLATE.matchAll(PLACEHOLDER)].map(([, pattern = '']) => pattern);
  const findPlaceholder = ({ name }: MetricDescription) => patterns.find((pattern) => new RegExp(pattern).test(name));
  const renderTable = (pattern: string) =>
    formatMetricsTable(metrics.filter((metric) => findPlaceholder(metric) === pattern));
  return TEMPLATE.replaceAll(PLACEHOLDER, (_, pattern: string) => renderTable(pattern))
    .replace('<!-- alerts -->', renderAlertTable)
    .replaceAll(/\{\{(\w+)\.(name|default)\}\}/g, (_, flag: keyof typeof FLAGS, field: 'name' | 'default') =>
      String(FLAGS[flag][field]),
    );
}

export function formatMetricsTable(metrics: readonly MetricDescription[]): string {
  return formatTable([COLUMNS, ...metrics.map(toRow)]);
}

function toRow(metric: MetricDescription): readonly string[] {
  return [formatCode(metric.name), metric.type, formatLabels(metric), metric.help.replaceAll('<', '&lt;')];
}

function formatLabels({ labelNames = [], labelValues = {} }: MetricDescription): string {
  const labels = labelNames.map((name) => {
    const values = labelValues[name]?.map((value) => `\`${value}\``).join(', ');
    return values === undefined ? `\`${name}\`` : `\`${name}\`: ${values}`;
  });
  return labels.length === 0 ? '–' : labels.join('; ');
}

function renderAlertTable(): string {
  const rows = ALERTS.map(({ alert, for: duration, labels, annotations: { runbook_url: page } }) => [
    `[${alert}](${relative('docs', page)})`,
    duration,
    labels.severity,
    readFirstSentence(page),
  ]);
  return formatTable([['Alert', 'For', 'Severity', 'Means'], ...rows]);
}

function readFirstSentence(page: string): string {
  const [, paragraph = ''] = readFileSync(join(PROJECT, page), 'utf8').split('\n\n');
  return /^.*?\.(?= |$)/.exec(paragraph.replaceAll('\n', ' '))?.[0] ?? paragraph;
}
