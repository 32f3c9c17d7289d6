import { describe, expect, test } from 'vitest';
import { ALERTS, FURTHER_ALERTS } from '../alerts/alerts.ts';
import { managerMetrics } from './manager-metrics.ts';
import { metricsPage } from './metrics-page.ts';

/** Rows of its tables, without the padding that aligns the columns. */
const rowsOf = (page: string) =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll(/ +/g, ' '));

describe('the page', () => {
  test('has one row for each metric of the manager', () => {
    const metrics = managerMetrics();
    const names = rowsOf(metricsPage(metrics)).map((row) => row.split('`')[1]);
    expect(names.toSorted()).toEqual(metrics.map(({ name }) => name).toSorted());
    expect(names).toEqual(
      expect.arrayContaining(['cronjob_suspended', 'workqueue_depth', 'rest_client_requests_total']),
    );
  });

  test('shows name, type, labels with their values, unit and meaning', () => {
    const page = metricsPage([
      {
        name: 'x_duration_seconds',
        type: 'histogram',
        help: 'How long <error> | that took.',
        labelNames: ['host', 'end'],
        labelValues: { end: ['good', 'bad'] },
      },
      { name: 'x_total', type: 'counter', help: 'Number.' },
    ]);
    expect(rowsOf(page)).toEqual([
      '| `x_duration_seconds` | histogram | `host`; `end`: `good`, `bad` | seconds | How long &lt;error> \\| that took. |',
      '| `x_total` | counter | – | number | Number. |',
    ]);
  });

  test.each([
    ['a_timestamp_seconds', 'seconds since 1970'],
    ['a_seconds', 'seconds'],
    ['a_seconds_total', 'seconds'],
    ['a_bytes', 'bytes'],
    ['a_kilobytes', 'number'],
    ['a', 'number'],
  ])('reads the unit of %s from its name', (name, unit) => {
    expect(rowsOf(metricsPage([{ name, type: 'gauge', help: 'H.' }]))).toEqual([
      `| \`${name}\` | gauge | – | ${unit} | H. |`,
    ]);
  });

  test.each([
    ['cronjob_controller_x', 'Runs'],
    ['cronjob_x', 'Each CronJob'],
    ['controller_runtime_webhook_x', 'Webhooks'],
    ['controller_runtime_x', 'Controllers'],
    ['workqueue_x', 'Queues'],
    ['anything_else', 'API server and lease'],
  ])('puts %s under %s, and leaves out what would be empty', (name, heading) => {
    const headings = metricsPage([{ name, type: 'gauge', help: 'H.' }]).match(/^## .*$/gm);
    expect(headings).toEqual([`## ${heading}`, '## Process', '## Dashboards', '## Alerts']);
  });
});

describe('an alert', () => {
  test.each([...ALERTS, ...FURTHER_ALERTS].map((alert) => [alert.name, alert] as const))(
    '%s asks only for metrics that there are',
    (_, alert) => {
      const names = managerMetrics().flatMap(({ name, type }) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      );
      const asked = alert.expr.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+_[a-z_]+\b(?!\()/g) ?? [];
      expect(asked.length).toBeGreaterThan(0);
      for (const name of asked) expect(names).toContain(name);
    },
  );

  test('is on the page, with its expression in a block of its own, and with its runbook when it is installed', () => {
    const page = metricsPage([]);
    for (const { name, holdsFor, severity, meaning, expr } of ALERTS) {
      const text = `**[${name}](runbooks/${name}.md)**, for ${holdsFor}, \`${severity}\`: ${meaning}`;
      expect(page).toContain(`${text}\n\n\`\`\`promql\n${expr}\n\`\`\`\n`);
    }
    for (const { name, holdsFor, meaning, expr } of FURTHER_ALERTS) {
      expect(page).toContain(`**${name}**, for ${holdsFor}: ${meaning}\n\n\`\`\`promql\n${expr}\n\`\`\`\n`);
    }
  });
});
