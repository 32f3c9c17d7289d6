/** All that an operator is installed with, as files. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { clusterRole, role } from './role.ts';
import type { KubernetesSchemas } from './structural-from-zod.ts';
import { webhookConfigurations } from './webhook-configuration.ts';
import { manifestYaml } from './yaml.ts';

/** What the manifests of an operator are made from: `controller-runtime generate` looks for this in its module. */
export interface OperatorManifests {
  /** Each gets a file in config/crd/bases. Default none. */
  readonly kinds?: readonly Kind[];
  /** What the manager may do, in one file. Default none. */
  readonly roles?: readonly OperatorRole[];
  /** In one file. Default none. */
  readonly webhooks?: readonly WebhookDeclaration[];
  /** Those that the kinds name with `kubernetesSchema()`: what `fetch-schemas` has written. Default none. */
  readonly kubernetesSchemas?: KubernetesSchemas;
}

export interface OperatorRole {
  readonly name: string;
  /** `Role`: in the namespace that it is put in. Default `ClusterRole`. */
  readonly kind?: 'ClusterRole' | 'Role';
  readonly rules: readonly PolicyRule[];
}

/** The text of each file, by its path from the project's folder, without the line that says that it is generated. */
export function manifestFiles(manifests: OperatorManifests): ReadonlyMap<string, string> {
  const { kinds = [], roles = [], webhooks = [], kubernetesSchemas } = manifests;
  const files = new Map(kinds.map((kind) => [crdPath(kind), crdYaml(kind, kubernetesSchemas)]));
  if (roles.length > 0) files.set('config/rbac/role.yaml', rolesYaml(roles));
  if (webhooks.length > 0) files.set('config/webhook/manifests.yaml', manifestYaml(webhookConfigurations(webhooks)));
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
