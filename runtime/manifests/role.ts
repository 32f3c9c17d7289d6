/** Generates RBAC roles in controller-gen's format. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';

export interface RoleManifest {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole' | 'Role';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly RbacRule[];
}

/** A rule of a Role or ClusterRole, with the field names of the Kubernetes API. */
export interface RbacRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export function buildClusterRole(name: string, rules: readonly PolicyRule[]): RoleManifest {
  return buildRoleManifest('ClusterRole', name, rules);
}

/**
 * Returns a Role.
 * @param namespace Namespace of the Role. Default: the namespace that `kubectl apply` uses.
 */
export function buildRole(name: string, rules: readonly PolicyRule[], namespace?: string): RoleManifest {
  const manifest = buildRoleManifest('Role', name, rules);
  return namespace === undefined ? manifest : { ...manifest, metadata: { name, namespace } };
}

/** Converts a rule to the field names of the Kubernetes API. */
export function toRbacRule(rule: PolicyRule): RbacRule {
  if ('nonResourceURLs' in rule) return rule;
  const { group, resources, resourceNames, verbs } = rule;
  return { apiGroups: [group], resources, ...(resourceNames && { resourceNames }), verbs };
}

function buildRoleManifest(kind: RoleManifest['kind'], name: string, rules: readonly PolicyRule[]): RoleManifest {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name }, rules: rules.map(toRbacRule) };
}
