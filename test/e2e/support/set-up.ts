/** Set-up of the project `e2e`: the cluster that `E2E_SITE` names. */
import type { TestProject } from 'vitest/node';
import { isSiteName, SITES, type SiteName } from './facts.ts';
import { setUpExisting, setUpKind } from './set-up-existing.ts';
import { setUpKwok } from './set-up-kwok.ts';
import { setUpNode } from './set-up-node.ts';

const SET_UPS: Readonly<Record<SiteName, (project: TestProject) => Promise<() => Promise<void>>>> = {
  node: setUpNode,
  kind: setUpKind,
  existing: setUpExisting,
  kwok: setUpKwok,
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const name = process.env['E2E_SITE'] ?? '';
  if (!isSiteName(name)) throw new Error(`E2E_SITE: "${name}" is not valid: give one of ${SITES.join(', ')}`);
  return await SET_UPS[name](project);
}
