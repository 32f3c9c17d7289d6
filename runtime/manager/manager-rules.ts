/** The RBAC rules that a manager itself needs, without the rules of its reconcilers. */
import { caBundleRules, certificateSecretRules } from '../certificates/policy-rules.ts';
import { parseBindAddress } from '../http/bind-address.ts';
import { authentication, authorization } from '../kubernetes/access.ts';
import { coordination } from '../kubernetes/coordination.ts';
import { core } from '../kubernetes/core.ts';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';
import type { ManagerOptions } from './manager-options.ts';
import { configurationRefs, ownCertificateOptions, webhookNames } from './webhook-names.ts';

/** The options of a manager that determine its rights. You can pass the options of `createManager` unchanged. */
export type ManagerRuleOptions = Pick<ManagerOptions, 'name' | 'leaderElection' | 'webhooks' | 'metrics'>;

export interface ManagerRules {
  /**
   * Rules for a ClusterRole: Events about any object; the `caBundle` of the webhook configurations, if the manager
   * creates its certificates; access reviews for metrics, if they are served securely.
   */
  readonly clusterRules: readonly PolicyRule[];
  /**
   * Rules for a Role in the namespace of the manager, or in the namespaces of the options: the lease, with leader
   * election, and the Secret of the webhook certificates, if the manager creates them. May be empty.
   */
  readonly namespaceRules: readonly PolicyRule[];
}

/**
 * Returns the minimum rights of a manager with these options, with their names or default names. Add the rights that
 * reconcilers need for their own work and their watched and owned kinds. If flags set the options: `managerRules({
 * name, ...toManagerOptions(parseFlagValues(flags, args)) })`.
 */
export function managerRules({ name, leaderElection = false, webhooks, metrics }: ManagerRuleOptions): ManagerRules {
  const certificates = ownCertificateOptions(webhooks);
  const names = certificates && webhookNames(name, certificates);
  return {
    clusterRules: [
      ruleFor(core.v1.events, ['create', 'patch']),
      ...(names ? caBundleRules(configurationRefs(names)) : []),
      ...metricsRules(metrics),
    ],
    namespaceRules: [...leaseRules(name, leaderElection), ...(names ? certificateSecretRules(names.secret) : [])],
  };
}

function metricsRules(metrics: ManagerOptions['metrics']): readonly PolicyRule[] {
  if (metrics === undefined || metrics.isSecure === false) return [];
  const { bindAddress } = metrics;
  const { kind } = typeof bindAddress === 'string' ? parseBindAddress(bindAddress) : bindAddress;
  if (kind === 'off') return [];
  const { tokenReviews } = authentication.v1;
  const { subjectAccessReviews } = authorization.v1;
  return [ruleFor(tokenReviews, ['create']), ruleFor(subjectAccessReviews, ['create'])];
}

/** RBAC cannot limit a create to a name, because the path of a create request has no name. */
function leaseRules(
  name: string,
  leaderElection: NonNullable<ManagerOptions['leaderElection']>,
): readonly PolicyRule[] {
  if (leaderElection === false) return [];
  const { name: lease = name } = leaderElection === true ? {} : leaderElection;
  const { leases } = coordination.v1;
  return [ruleFor(leases, ['create']), { ...ruleFor(leases, ['get', 'update']), resourceNames: [lease] }];
}

function ruleFor({ group, plural }: Pick<Resource, 'group' | 'plural'>, verbs: PolicyRule['verbs']): PolicyRule {
  return { group, resources: [plural], verbs };
}
