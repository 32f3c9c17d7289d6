/** Names of an operator's roles and webhooks, from the options of its manager. */
import { type ManagerRuleOptions, managerRules } from '../manager/manager-rules.ts';
import { defaultWebhookNames, ownCertificateOptions, webhookNames } from '../manager/webhook-names.ts';
import { KUSTOMIZE_NAMES, type WebhookConfigurationNames } from '../manifests/webhook-configuration.ts';
import type { OperatorManifests, OperatorRole } from './operator-manifests.ts';

/** Name of both roles of a manager when kustomize completes the names, as in kubebuilder. */
const KUSTOMIZE_ROLE = 'manager-role';

/** The roles of the manager itself. Throws a TypeError for rules without a manager. */
export function buildManagerRoles({
  manager,
  rules = [],
  kustomize = false,
}: OperatorManifests): readonly OperatorRole[] {
  if (manager === undefined) {
    if (rules.length === 0) return [];
    throw new TypeError('rules: set `manager` too, because the rules become part of its role; or use `roles` instead');
  }
  const name = kustomize ? KUSTOMIZE_ROLE : manager.name;
  const { clusterRules, namespaceRules } = managerRules(kustomize ? withKustomizeNames(manager) : manager);
  const namespaceRoles = namespaceRules.length === 0 ? [] : [{ name, kind: 'Role', rules: namespaceRules } as const];
  return [{ name, rules: [...rules, ...clusterRules] }, ...namespaceRoles];
}

/** The rules name webhook configurations without the prefix, so that kustomize adds it to both. */
function withKustomizeNames(manager: ManagerRuleOptions): ManagerRuleOptions {
  const own = ownCertificateOptions(manager.webhooks);
  if (own === undefined) return manager;
  const { mutatingWebhookConfiguration: mutating, validatingWebhookConfiguration: validating } = own;
  const certificates = {
    ...own,
    mutatingWebhookConfiguration: mutating === null ? null : KUSTOMIZE_NAMES.mutatingWebhookConfiguration,
    validatingWebhookConfiguration: validating === null ? null : KUSTOMIZE_NAMES.validatingWebhookConfiguration,
  };
  return { ...manager, webhooks: { certificates } };
}

/** Names of the webhook configurations and of the Service in them. */
export function resolveWebhookNames({
  manager,
  namespace,
  kustomize = false,
}: OperatorManifests): WebhookConfigurationNames {
  if (manager === undefined || kustomize) return KUSTOMIZE_NAMES;
  const own = ownCertificateOptions(manager.webhooks) ?? {};
  const names = webhookNames(manager.name, own);
  // If another program sets the `caBundle` of a configuration, the options do not name that configuration, so it gets
  // the default name.
  const defaults = defaultWebhookNames(manager.name);
  return {
    mutatingWebhookConfiguration: names.mutatingWebhookConfiguration ?? defaults.mutatingWebhookConfiguration,
    validatingWebhookConfiguration: names.validatingWebhookConfiguration ?? defaults.validatingWebhookConfiguration,
    service: { name: names.service, namespace: namespace ?? own.namespace ?? `${manager.name}-system` },
  };
}
