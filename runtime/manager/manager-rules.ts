/** RBAC rules of a manager, without the rules that its controllers need. */
import { caBundleRules, certificateSecretRules } from '../certificates/policy-rules.ts';
import { parseBindAddress } from '../http/bind-address.ts';
import { authentication, authorization } from '../kubernetes/access.ts';
import { coordination } from '../kubernetes/coordination.ts';
import { core } from '../kubernetes/core.ts';
import type { ResourceRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';
import type { Kind } from '../schema/kind.ts';
import type { ManagerOptions } from './manager-options.ts';
import {
  getConfigurationRefs,
  getConversionRefs,
  getManagedCertificateOptions,
  toWebhookNames,
} from './webhook-names.ts';

/** The options of a manager that determine its RBAC rules. You can pass the options of `createManager` unchanged. */
export type ManagerRuleOptions = Pick<
  ManagerOptions,
  'name' | 'namespaces' | 'leaderElection' | 'webhooks' | 'metrics'
>;

/** The RBAC rules that a manager itself needs. */
export interface ManagerRules {
  /**
   * Rules for a ClusterRole. The rules allow the manager to create Events. Depending on the options, the rules also
   * allow the manager to watch namespaces, to change the `caBundle` of webhook configurations and CRDs, and to create
   * access reviews for clients of the metrics server.
   */
  readonly clusterRules: readonly ResourceRule[];
  /**
   * Rules for a Role in the namespaces of the lease and of the certificates. The default is the namespace of the
   * manager. Depending on the options, the rules allow access to the lease, and to the Secret of the webhook
   * certificates. May be empty.
   */
  readonly namespaceRules: readonly ResourceRule[];
}

/**
 * Returns the minimum RBAC rules of a manager with these options. The controllers need further rules, which
 * `collectRules` of `controller-runtime/manifests` returns. If the options come from flags, use
 * `managerRules({ name, ...toManagerOptions(parseFlagValues(flags, args)) })`.
 *
 * @param kinds Kinds that the manager converts with `webhooks.convert`. Kinds with one version are ignored. Default: no
 * kinds.
 */
export function managerRules(
  { name, namespaces, leaderElection = false, webhooks, metrics }: ManagerRuleOptions,
  kinds: readonly Kind[] = [],
): ManagerRules {
  const certificates = getManagedCertificateOptions(webhooks);
  const objectNames = certificates && toWebhookNames(name, certificates);
  return {
    clusterRules: [
      createResourceRule(core.v1.events, ['create', 'patch']),
      ...(namespaces && 'labelSelector' in namespaces
        ? [createResourceRule(core.v1.namespaces, ['list', 'watch'])]
        : []),
      ...(objectNames ? caBundleRules([...getConfigurationRefs(objectNames), ...getConversionRefs(kinds)]) : []),
      ...createMetricsRules(metrics),
    ],
    namespaceRules: [
      ...createLeaseRules(name, leaderElection),
      ...(objectNames ? certificateSecretRules(objectNames.secret) : []),
    ],
  };
}

function createMetricsRules(metrics: ManagerOptions['metrics']): readonly ResourceRule[] {
  if (metrics === undefined || metrics.isSecure === false) return [];
  const { bindAddress } = metrics;
  const { kind } = typeof bindAddress === 'string' ? parseBindAddress(bindAddress) : bindAddress;
  if (kind === 'off') return [];
  const { tokenReviews } = authentication.v1;
  const { subjectAccessReviews } = authorization.v1;
  return [createResourceRule(tokenReviews, ['create']), createResourceRule(subjectAccessReviews, ['create'])];
}

/** RBAC cannot limit a create to a name, because the URL of a create request does not contain the name. */
function createLeaseRules(
  name: string,
  leaderElection: NonNullable<ManagerOptions['leaderElection']>,
): readonly ResourceRule[] {
  if (leaderElection === false) return [];
  const { name: leaseName = name } = leaderElection === true ? {} : leaderElection;
  const { leases } = coordination.v1;
  return [
    createResourceRule(leases, ['create']),
    { ...createResourceRule(leases, ['get', 'update']), resourceNames: [leaseName] },
  ];
}

function createResourceRule(
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  verbs: ResourceRule['verbs'],
): ResourceRule {
  return { group, resources: [plural], verbs };
}
