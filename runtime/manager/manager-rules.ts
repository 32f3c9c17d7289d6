/** What a manager itself must be allowed to do, besides what its reconcilers do. */
import { caBundleRules, certificateSecretRules } from '../certificates/policy-rules.ts';
import { parseBindAddress } from '../http/bind-address.ts';
import { authentication, authorization } from '../kubernetes/access.ts';
import { coordination } from '../kubernetes/coordination.ts';
import { core } from '../kubernetes/core.ts';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';
import type { ManagerOptions } from './manager-options.ts';
import { configurationRefs, ownCertificateOptions, webhookNames } from './webhook-names.ts';

/** The options of a manager that its rights depend on: those of `createManager` can be given as they are. */
export type ManagerRuleOptions = Pick<ManagerOptions, 'name' | 'leaderElection' | 'webhooks' | 'metrics'>;

export interface ManagerRules {
  /**
   * For a ClusterRole: Events about any object; the `caBundle` of the webhook configurations, where the manager makes its certificates;
   * reviews of who may read metrics, where those are served securely.
   */
  readonly clusterRules: readonly PolicyRule[];
  /**
   * For a Role in the namespace of the manager, or those that the options name: the lease, where there is leader election, and the
   * Secret of the webhooks' certificates, where the manager makes them. May be empty.
   */
  readonly namespaceRules: readonly PolicyRule[];
}

/**
 * The least that a manager with these options needs, by the names that they have or default to. What reconcilers do, watch and own is
 * for the operator to add. Where flags give the options: `managerRules({ name, ...managerOptionsOf(flagValues(flags, args)) })`.
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

/** A create cannot be limited to a name: a request to create has none in its path. */
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
