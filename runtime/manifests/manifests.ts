/** All manifests of an operator, as files. */
import type { Kind } from '../schema/kind.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import {
  type Installation,
  kustomization,
  managerManifests,
  roleBindings,
  serviceAccount,
  webhookServiceManifest,
} from './installation.ts';
import type { OperatorManifests, OperatorRole } from './operator-manifests.ts';
import { buildManagerRoles, resolveWebhookNames } from './operator-names.ts';
import { clusterRole, role } from './role.ts';
import type { KubernetesSchemas } from './structural-from-zod.ts';
import { webhookConfigurations, withWebhookUrl } from './webhook-configuration.ts';
import { manifestYaml } from './yaml.ts';

export interface ManifestOptions {
  /**
   * URL of the webhooks instead of their Service: a manager on your machine, `https://192.168.1.5:9443`. Default: the
   * Service.
   */
  readonly webhookUrl?: string | undefined;
}

/**
 * Returns the text of each file, by its path from the project's folder, without the line that marks it as generated.
 * Throws a TypeError for rules or a deployment without a manager.
 */
export function manifestFiles(
  manifests: OperatorManifests,
  { webhookUrl }: ManifestOptions = {},
): ReadonlyMap<string, string> {
  const { kinds = [], webhooks = [], roles: additionalRoles = [], kubernetesSchemas, deployment } = manifests;
  const managerRoles = buildManagerRoles(manifests);
  const roles = [...managerRoles, ...additionalRoles];
  const files = new Map(kinds.map((kind) => [crdPath(kind), crdYaml(kind, kubernetesSchemas)]));
  const installation = resolveInstallation(manifests);
  if (roles.length > 0) files.set('config/rbac/role.yaml', rolesYaml(roles, installation?.namespace));
  const configurations = webhookConfigurations(webhooks, resolveWebhookNames(manifests)).map((configuration) =>
    webhookUrl === undefined ? configuration : withWebhookUrl(configuration, webhookUrl),
  );
  if (configurations.length > 0) files.set('config/webhook/manifests.yaml', manifestYaml(configurations));
  if (installation === undefined) return files;
  files.set('config/rbac/service_account.yaml', manifestYaml([serviceAccount(installation)]));
  files.set('config/rbac/role_binding.yaml', manifestYaml(roleBindings(installation, managerRoles)));
  const service = webhookServiceManifest(installation, resolveWebhookNames(manifests).service);
  if (service !== undefined) files.set('config/webhook/service.yaml', manifestYaml([service]));
  if (deployment === undefined) return files;
  files.set('config/manager/manager.yaml', manifestYaml(managerManifests(installation, deployment)));
  return files.set('config/kustomization.yaml', manifestYaml([kustomization(installation, files.keys())]));
}

/**
 * Returns `undefined` when kustomize or another tool installs the manager. Throws a TypeError for a deployment in that
 * case.
 */
function resolveInstallation(manifests: OperatorManifests): Installation | undefined {
  const { manager, kustomize = false, deployment } = manifests;
  if (manager !== undefined && !kustomize)
    return { manager, namespace: resolveWebhookNames(manifests).service.namespace };
  if (deployment === undefined) return undefined;
  throw new TypeError(
    kustomize
      ? 'deployment: cannot be combined with `kustomize`, where you write the Deployment; remove one of the two'
      : 'deployment: set `manager` too, because the Deployment runs it',
  );
}

/** kubebuilder's path of a kind's CRD. */
export function crdPath({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return `config/crd/bases/${group}_${plural}.yaml`;
}

/** The text of a kind's CRD. */
export function crdYaml(kind: Kind, kubernetesSchemas?: KubernetesSchemas): string {
  return manifestYaml([customResourceDefinition(kind, kubernetesSchemas)], { isSorted: true });
}

/** Returns the text of roles. A namespaced role is in `namespace`; without it, in the namespace where it is applied. */
export function rolesYaml(roles: readonly OperatorRole[], namespace?: string): string {
  return manifestYaml(
    roles.map(({ name, kind, rules }) => (kind === 'Role' ? role(name, rules, namespace) : clusterRole(name, rules))),
  );
}
