/** Generates a ConfigMap with the scripts of config/argocd, which users merge into Argo CD's `argocd-cm`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { GROUP, KIND } from '../../api/v1/groupversion.ts';

const SCRIPT_FOLDER = join(import.meta.dirname, '../../config/argocd');
const ACTIONS = ['run-now', 'suspend', 'resume'];
/** The format of the keys is that of Argo CD: a prefix, the group and the kind. */
export const HEALTH_KEY = `resource.customizations.health.${GROUP}_${KIND}`;
export const ACTIONS_KEY = `resource.customizations.actions.${GROUP}_${KIND}`;

const readScript = (name: string) => readFileSync(join(SCRIPT_FOLDER, `${name}.lua`), 'utf8');

export function createArgoCdConfigYaml(): string {
  const actions = {
    'discovery.lua': readScript('discovery'),
    definitions: ACTIONS.map((name) => ({ name, 'action.lua': readScript(name) })),
  };
  const data = { [HEALTH_KEY]: readScript('health'), [ACTIONS_KEY]: stringify(actions, { lineWidth: 0 }) };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm' }, data };
  return stringify(config, { lineWidth: 0 });
}
