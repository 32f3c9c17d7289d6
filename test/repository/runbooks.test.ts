/** Whether the page of each alert helps an engineer on call. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALERTS } from '../../hack/alerts/alerts.ts';
import { listManagerMetrics } from '../../hack/docs/manager-metrics.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** Lines on the screen of an engineer on call. */
const SCREEN_LINES = 55;

test('each alert has a page, and each page has an alert', () => {
  const pages = readdirSync(join(PROJECT, 'docs/runbooks')).map((file) => `docs/runbooks/${file}`);
  expect(pages.toSorted()).toEqual(ALERTS.map(({ annotations }) => annotations.runbook_url).toSorted());
});

describe.each(ALERTS)('the page of $alert', ({ alert, annotations }) => {
  const page = readFileSync(join(PROJECT, annotations.runbook_url), 'utf8');

  test('has sections on meaning, impact, diagnosis, mitigation and silencing', () => {
    expect(page.match(/^#+ .*$|^\*\*Symptoms:\*\*/gm)).toEqual([
      `# ${alert}`,
      '**Symptoms:**',
      '## Find the cause',
      '## Fix it',
      '## Silence it',
    ]);
    expect(page).toContain(`amtool silence add alertname=${alert} `);
  });

  test('shows commands with their output', () => {
    expect(page).toMatch(/^\$ kubectl .*(\\\n.*)*\n(?!\$|```)./m);
  });

  test('fits on one screen', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
  });

  test('names only existing metrics', () => {
    const names = listManagerMetrics().map(({ name }) => name);
    const metricNames = page.match(/\b(?:cronjob|workqueue|rest_client)_[a-z_]+\b/g) ?? [];
    for (const name of metricNames) expect(names).toContain(name);
  });
});
