/** All that an operator is installed with, as files. */
import type { Kind } from '../schema/kind.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import type { OperatorManifests, OperatorRole } from './operator-manifests.ts';
import { namesOf, rolesOf } from './operator-names.ts';
import { clusterRole, role } from './role.ts';
import type { KubernetesSchemas } from './structural-from-zod.ts';
import { webhookConfigurations } from './webhook-configuration.ts';
import { manifestYaml } from './yaml.ts';

/**
 * The text of each file, by its path from the project's folder, without the line that says that it is generated. Throws a TypeError
 * for rules without a manager.
 */
export function manifestFiles(manifests: OperatorManifests): ReadonlyMap<string, string> {
  const { kinds = [], webhooks = [], kubernetesSchemas } = manifests;
  const roles = rolesOf(manifests);
  const files = new Map(kinds.map((kind) => [crdPath(kind), crdYaml(kind, kubernetesSchemas)]));
  if (roles.length > 0) files.set('config/rbac/role.yaml', rolesYaml(roles));
  const configurations = webhookConfigurations(webhooks, namesOf(manifests));
  if (configurations.length > 0) files.set('config/webhook/manifests.yaml', manifestYaml(configurations));
  return files;
}

/** Where kubebuilder puts the CRD of a kind. */
export function crdPath({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return `config/crd/bases/${group}_${plural}.yaml`;
}

/** The text of a kind's CRD. */
export function crdYaml(kind: Kind, kubernetesSchemas?: KubernetesSchemas): string {
  return manifestYaml([customResourceDefinition(kind, kubernetesSchemas)], { isSorted: true });
}

/** The text of roles. */
export function rolesYaml(roles: readonly OperatorRole[]): string {
  return manifestYaml(
    roles.map(({ name, kind, rules }) => (kind === 'Role' ? role(name, rules) : clusterRole(name, rules))),
  );
}
