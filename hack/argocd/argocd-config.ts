/** The integration with Argo CD: the scripts of config/argocd, in a ConfigMap to merge into Argo CD's own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { GROUP, KIND } from '../../api/v1/groupversion.ts';

const SCRIPTS = join(import.meta.dirname, '../../config/argocd');
const ACTIONS = ['run-now', 'suspend', 'resume'];
/** Keys of argocd-cm; Argo CD's own keys end in the group and the kind. */
export const HEALTH_KEY = `resource.customizations.health.${GROUP}_${KIND}`;
export const ACTIONS_KEY = `resource.customizations.actions.${GROUP}_${KIND}`;

const readScript = (name: string) => readFileSync(join(SCRIPTS, `${name}.lua`), 'utf8');

/** The ConfigMap, as YAML. */
export function createArgoCdConfigYaml(): string {
  const actions = {
    'discovery.lua': readScript('discovery'),
    definitions: ACTIONS.map((name) => ({ name, 'action.lua': readScript(name) })),
  };
  const data = { [HEALTH_KEY]: readScript('health'), [ACTIONS_KEY]: stringify(actions, { lineWidth: 0 }) };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm' }, data };
  return stringify(config, { lineWidth: 0 });
}
