import { expect, test } from 'vitest';
import { managerMetrics } from '../docs/manager-metrics.ts';
import { ALERTS, FURTHER_ALERTS } from './alerts.ts';

test.each([...ALERTS, ...FURTHER_ALERTS])('$name asks only for metrics that there are', ({ expr }) => {
  const names = managerMetrics().flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const asked = expr.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+_[a-z_]+\b(?!\()/g) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  for (const name of asked) expect(names).toContain(name);
});
