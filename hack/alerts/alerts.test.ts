import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { managerMetrics } from '../docs/manager-metrics.ts';
import { ALERTS } from './alerts.ts';

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
const ofPage = [...page.matchAll(/```promql\n([^`]*)```/g)].map(([, expr = '']) => ({ alert: 'of the page', expr }));

test.each([...ALERTS, ...ofPage])('$alert asks only for metrics that there are: $expr', ({ expr }) => {
  const names = managerMetrics().flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const asked = expr.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+_[a-z_]+\b(?!\()/g) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  for (const name of asked) expect(names).toContain(name);
});
