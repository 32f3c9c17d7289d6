/** The connections that config/network-policy allows, as documented in docs/security.md. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../config/network-policy');

test('allows metrics from labelled namespaces, webhooks from everywhere, and no probes', () => {
  const policies = globSync('allow-*.yaml', { cwd: FOLDER }).map((file) =>
    parse(readFileSync(join(FOLDER, file), 'utf8')),
  );
  // When a policy selects a Pod for Ingress, the Pod only accepts connections that a policy allows.
  for (const { spec } of policies) expect(spec.policyTypes).toEqual(['Ingress']);
  expect(new Set(policies.map(({ spec }) => JSON.stringify(spec.podSelector))).size).toBe(1);
  const rules: { readonly ports: readonly { readonly port: number }[] }[] = policies.flatMap(
    ({ spec }) => spec.ingress,
  );
  expect(rules.toSorted((a, b) => (a.ports[0]?.port ?? 0) - (b.ports[0]?.port ?? 0))).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
      ports: [{ port: 8443, protocol: 'TCP' }],
    },
    { ports: [{ port: 9443, protocol: 'TCP' }] },
  ]);
});
