import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { Kind } from '../schema/kind.ts';
import { collectSetUp, type SetUpDeclarations } from './collect-set-up.ts';
import { type ConversionServer, customResourceDefinition } from './custom-resource-definition.ts';
import {
  buildKustomization,
  buildManagerManifests,
  buildRoleBindings,
  buildServiceAccount,
  buildWebhookService,
  type Installation,
} from './installation.ts';
import type { OperatorManifests, OperatorRole } from './operator-manifests.ts';
import { buildManagerRoles, resolveWebhookNames } from './operator-names.ts';
import { buildClusterRole, buildRole } from './role.ts';
import type { KubernetesSchemas } from './structural-from-zod.ts';
import { webhookConfigurations, withWebhookUrl } from './webhook-configuration.ts';
import { manifestYaml } from './yaml.ts';

/** Options of {@link manifestFiles}. */
export interface ManifestOptions {
  /** URL of the webhooks of a manager on your machine, such as `https://192.168.1.5:9443`. Default: the Service. */
  readonly webhookUrl?: string | undefined;
}

const NO_DECLARATIONS: SetUpDeclarations = { rules: [], webhooks: [] };

/**
 * Returns the content of each manifest file, without the first line, which marks the file as generated. The keys are
 * paths relative to the project's folder. Throws a TypeError if `rules` or `deployment` is set without `manager`, or if a
 * kind has several versions and the manager has no webhooks.
 */
export function manifestFiles(
  manifests: OperatorManifests,
  { webhookUrl }: ManifestOptions = {},
): ReadonlyMap<string, string> {
  const { kinds = [], roles: additionalRoles = [], kubernetesSchemas, deployment, setUp, manager } = manifests;
  const declared = setUp === undefined ? NO_DECLARATIONS : collectSetUp(setUp, manager?.name);
  const { webhooks = declared.webhooks } = manifests;
  const managerRoles = buildManagerRoles(manifests, declared.rules);
  const roles = [...managerRoles, ...additionalRoles];
  const names = resolveWebhookNames(manifests);
  const conversionServer = webhookUrl === undefined ? names : { url: webhookUrl };
  throwIfUnconverted(manifests);
  const files = new Map(kinds.map((kind) => [crdPath(kind), crdYaml(kind, kubernetesSchemas, conversionServer)]));
  const installation = resolveInstallation(manifests);
  if (roles.length > 0) files.set('config/rbac/role.yaml', rolesYaml(roles, installation?.namespace));
  const configurations = webhookConfigurations(webhooks, names).map((configuration) =>
    webhookUrl === undefined ? configuration : withWebhookUrl(configuration, webhookUrl),
  );
  if (configurations.length > 0) files.set('config/webhook/manifests.yaml', manifestYaml(configurations));
  if (installation === undefined) return files;
  files.set('config/rbac/service_account.yaml', manifestYaml([buildServiceAccount(installation)]));
  files.set('config/rbac/role_binding.yaml', manifestYaml(buildRoleBindings(installation, managerRoles)));
  const service = buildWebhookService(installation, names.service);
  if (service !== undefined) files.set('config/webhook/service.yaml', manifestYaml([service]));
  if (deployment === undefined) return files;
  files.set('config/manager/manager.yaml', manifestYaml(buildManagerManifests(installation, deployment)));
  return files.set('config/kustomization.yaml', manifestYaml([buildKustomization(installation, files.keys())]));
}

/** The ServiceAccount of a manager and the rules of its roles. */
export interface ManagerRoles {
  readonly name: string;
  readonly namespace: string;
  readonly clusterRules: readonly PolicyRule[];
  readonly namespaceRules: readonly PolicyRule[];
}

/** Returns the roles in the manifests, with names without kustomize. Throws a TypeError without `manager`. */
export function getManagerRoles(manifests: OperatorManifests): ManagerRoles {
  const { manager, setUp } = manifests;
  if (manager === undefined) throw new TypeError('the manifests have no `manager`, and therefore no roles');
  const installed = { ...manifests, kustomize: false };
  const roles = buildManagerRoles(installed, setUp === undefined ? [] : collectSetUp(setUp, manager.name).rules);
  const getRules = (kind: OperatorRole['kind']) => roles.find((role) => role.kind === kind)?.rules ?? [];
  return {
    name: manager.name,
    namespace: resolveWebhookNames(installed).service.namespace,
    clusterRules: getRules(undefined),
    namespaceRules: getRules('Role'),
  };
}

/** Without webhooks, the API server could not read or write the further versions of a kind. */
function throwIfUnconverted({ kinds = [], manager }: OperatorManifests): void {
  const kind = kinds.find(({ versions }) => Object.keys(versions).length > 0);
  if (kind === undefined || manager === undefined || (manager.webhooks && !('off' in manager.webhooks))) return;
  throw new TypeError(
    `kinds: ${kind.kind} has several versions, which a webhook converts; set \`webhooks\` of \`manager\` too`,
  );
}

/**
 * Returns the installation, or `undefined` with `kustomize` or without `manager`. Throws a TypeError if `deployment` is
 * set with `kustomize` or without `manager`.
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

/** Returns the path of a CRD in a kubebuilder project. */
export function crdPath({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return `config/crd/bases/${group}_${plural}.yaml`;
}

/** Returns the CRD of a kind as YAML. The parameters are the same as for {@link customResourceDefinition}. */
export function crdYaml(
  kind: Kind,
  kubernetesSchemas?: KubernetesSchemas,
  conversionServer?: ConversionServer,
): string {
  return manifestYaml([customResourceDefinition(kind, kubernetesSchemas, conversionServer)], { isSorted: true });
}

/**
 * Returns roles as YAML.
 * @param namespace Namespace of each Role. Default: the namespace that `kubectl apply` uses.
 */
export function rolesYaml(roles: readonly OperatorRole[], namespace?: string): string {
  return manifestYaml(
    roles.map(({ name, kind, rules }) =>
      kind === 'Role' ? buildRole(name, rules, namespace) : buildClusterRole(name, rules),
    ),
  );
}
