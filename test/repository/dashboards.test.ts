/**
 * Whether the files are valid for Grafana, and whether panels have a description. dashboard-queries.test.ts checks the queries. No test
 * runs Grafana: these are its rules as far as we know them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALERTS } from '../../hack/alerts/alerts.ts';
import { listPanels, type Panel, readDashboards } from '../support/dashboards.ts';
import { PROJECT } from '../support/manifests.ts';

const FILES = readDashboards();
const COLUMNS = 24;
const OVER_TIME = ['timeseries', 'state-timeline'];

test('each dashboard has a unique uid and title', () => {
  const all = Object.values(FILES);
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test('each alert has a panel that links to its runbook', () => {
  const panels = Object.values(FILES).flatMap(listPanels);
  const titles = new Set(panels.flatMap(({ links = [] }) => links.map(({ title }) => title)));
  expect([...titles].toSorted()).toEqual(ALERTS.map(({ alert }) => `Runbook: ${alert}`).toSorted());
});

describe.each(Object.entries(FILES))('%s', (_, dashboard) => {
  const panels = listPanels(dashboard);
  const text = JSON.stringify(dashboard.panels);

  test('has a format that Grafana 10 reads', () => {
    expect(dashboard).toMatchObject({ schemaVersion: 38, uid: expect.stringMatching(/^[a-z-]{1,40}$/) });
    expect(dashboard).not.toHaveProperty('id'); // the id is local to the Grafana that exported it
    expect(dashboard).not.toHaveProperty('__inputs'); // a sidecar of Grafana does not fill them in
  });

  test('has panels with unique ids, and queries with unique letters', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { title, targets = [] } of panels) {
      expect([title, new Set(targets.map(({ refId }) => refId)).size]).toEqual([title, targets.length]);
      expect(targets.length).toBeGreaterThan(0);
    }
  });

  test('has panels that do not overlap or exceed the grid', () => {
    const usedCells = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.w > 0 && gridPos.h > 0 && gridPos.x >= 0 && gridPos.x + gridPos.w <= COLUMNS).toBe(true);
      for (const cell of listCells(gridPos)) {
        expect([cell, usedCells.get(cell)]).toEqual([cell, undefined]);
        usedCells.set(cell, title);
      }
    }
  });

  test.each(panels.map((panel) => [panel.title, panel] as const))('%s has a description', (_title, panel) => {
    expect(panel.description).toMatch(/^[A-Z–].{20,}\.$/);
    expect(listUnits(panel)).not.toContain(undefined);
    for (const { legendFormat } of panel.targets ?? []) expect(legendFormat).not.toBe('');
    if (OVER_TIME.includes(panel.type)) expect(panel.options?.legend?.showLegend).toBe(true);
  });

  test('uses the selected data source', () => {
    const [first] = dashboard.templating.list;
    expect(first).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const chosen = { type: 'prometheus', uid: `\${datasource}` };
    for (const { datasource, targets = [] } of panels) {
      expect([datasource, ...targets.map((target) => target.datasource)]).toEqual(
        Array.from({ length: targets.length + 1 }, () => chosen),
      );
    }
  });

  test('uses exactly its variables', () => {
    const queries = JSON.stringify(dashboard.templating.list.map(({ query }) => query));
    const used = new Set([...`${text}${queries}`.matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name));
    expect([...used].toSorted()).toEqual(dashboard.templating.list.map(({ name }) => name).toSorted());
  });

  test('has the columns that tables sort by', () => {
    for (const { title, type, fieldConfig, options } of panels) {
      if (type !== 'table') continue;
      const columns = fieldConfig?.overrides.map(({ matcher }) => matcher.options);
      const sorting = options?.sortBy?.map(({ displayName }) => displayName);
      expect([title, columns]).toEqual([title, expect.arrayContaining(sorting ?? ['none'])]);
    }
  });

  test('links to existing pages', () => {
    const runbooks = dashboard.templating.list.find(({ name }) => name === 'runbooks')?.query;
    const urls = panels.flatMap(({ links = [] }) => links.map(({ url }) => url));
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(existsSync(join(PROJECT, url.replace(`\${runbooks}`, String(runbooks))))).toBe(true);
  });
});

function listCells({ x, y, w, h }: Panel['gridPos']): readonly string[] {
  const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
  return range(x, w).flatMap((column) => range(y, h).map((row) => `column ${column}, line ${row}`));
}

/** The units of the columns of a table. */
function listUnits({ type, fieldConfig, targets = [] }: Panel): readonly unknown[] {
  if (type !== 'table') return [fieldConfig?.defaults.unit];
  const units = fieldConfig?.overrides.map(({ properties }) => properties.find(({ id }) => id === 'unit')) ?? [];
  return [...units, ...targets.slice(units.length).map(() => undefined)];
}
