import { mergeRules, type PolicyRule } from '../kubernetes/policy-rule.ts';
import { type ManagerRuleOptions, managerRules } from '../manager/manager-rules.ts';
import { getDefaultWebhookNames, getManagedCertificateOptions, toWebhookNames } from '../manager/webhook-names.ts';
import { KUSTOMIZE_NAMES, type WebhookConfigurationNames } from '../manifests/webhook-configuration.ts';
import type { OperatorManifests, OperatorRole } from './operator-manifests.ts';

/** Name of the manager's roles in kubebuilder projects. kustomize adds a prefix to the name. */
const KUSTOMIZE_ROLE_NAME = 'manager-role';

/**
 * Returns the roles of the manager. Throws a TypeError if there are rules but `manager` is not set.
 * @param controllerRules The rules for the controllers that `setUp` adds.
 */
export function buildManagerRoles(
  { manager, kinds, rules = [], kustomize = false }: OperatorManifests,
  controllerRules: readonly PolicyRule[],
): readonly OperatorRole[] {
  if (manager === undefined) {
    if (rules.length + controllerRules.length === 0) return [];
    const option = rules.length > 0 ? 'rules' : 'setUp';
    throw new TypeError(
      `${option}: set \`manager\` too, because the rules become part of its role; or use \`roles\` instead`,
    );
  }
  const name = kustomize ? KUSTOMIZE_ROLE_NAME : manager.name;
  const { clusterRules, namespaceRules } = managerRules(kustomize ? withKustomizeNames(manager) : manager, kinds);
  const namespaceRoles = namespaceRules.length === 0 ? [] : [{ name, kind: 'Role', rules: namespaceRules } as const];
  return [{ name, rules: mergeRules([...controllerRules, ...rules, ...clusterRules]) }, ...namespaceRoles];
}

/**
 * Returns the options with names of webhook configurations that have no prefix. kustomize adds a prefix to the names in
 * the configurations and in the RBAC rules.
 */
function withKustomizeNames(manager: ManagerRuleOptions): ManagerRuleOptions {
  const certificateOptions = getManagedCertificateOptions(manager.webhooks);
  if (certificateOptions === undefined) return manager;
  const { mutatingWebhookConfiguration: mutating, validatingWebhookConfiguration: validating } = certificateOptions;
  const certificates = {
    ...certificateOptions,
    mutatingWebhookConfiguration: mutating === null ? null : KUSTOMIZE_NAMES.mutatingWebhookConfiguration,
    validatingWebhookConfiguration: validating === null ? null : KUSTOMIZE_NAMES.validatingWebhookConfiguration,
  };
  return { ...manager, webhooks: { certificates } };
}

export function resolveWebhookNames({
  manager,
  namespace,
  kustomize = false,
}: OperatorManifests): WebhookConfigurationNames {
  if (manager === undefined || kustomize) return KUSTOMIZE_NAMES;
  const certificateOptions = getManagedCertificateOptions(manager.webhooks) ?? {};
  const names = toWebhookNames(manager.name, certificateOptions);
  // The options contain no name for a webhook configuration whose `caBundle` another program sets.
  const defaults = getDefaultWebhookNames(manager.name);
  return {
    mutatingWebhookConfiguration: names.mutatingWebhookConfiguration ?? defaults.mutatingWebhookConfiguration,
    validatingWebhookConfiguration: names.validatingWebhookConfiguration ?? defaults.validatingWebhookConfiguration,
    service: { name: names.service, namespace: namespace ?? certificateOptions.namespace ?? `${manager.name}-system` },
  };
}
