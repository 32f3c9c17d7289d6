import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listManagerMetrics } from '../docs/manager-metrics.ts';
import { ALERTS } from './alerts.ts';

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
const pageQueries = [...page.matchAll(/```promql\n([^`]*)```/g)].map(([, expr = '']) => ({
  alert: 'docs/metrics.md',
  expr,
}));

test.each([...ALERTS, ...pageQueries])('$alert queries only existing metrics: $expr', ({ expr }) => {
  const names = listManagerMetrics().flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const queried = expr.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+_[a-z_]+\b(?!\()/g) ?? [];
  expect(queried.length).toBeGreaterThan(0);
  for (const name of queried) expect(names).toContain(name);
});
