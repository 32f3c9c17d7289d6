/** RBAC roles in controller-gen's format, from the tables in the sources. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';

export interface RoleManifest {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole' | 'Role';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: PolicyRule['verbs'];
  }[];
}

/** A ClusterRole that allows exactly `rules`. */
export function clusterRole(name: string, rules: readonly PolicyRule[]): RoleManifest {
  return buildRole('ClusterRole', name, rules);
}

/** The same rules in one namespace; by default, the namespace where the role is applied. */
export function role(name: string, rules: readonly PolicyRule[], namespace?: string): RoleManifest {
  const manifest = buildRole('Role', name, rules);
  return namespace === undefined ? manifest : { ...manifest, metadata: { name, namespace } };
}

function buildRole(kind: RoleManifest['kind'], name: string, rules: readonly PolicyRule[]): RoleManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name },
    rules: rules.map(({ group, resources, resourceNames, verbs }) => ({
      apiGroups: [group],
      resources,
      ...(resourceNames && { resourceNames }),
      verbs,
    })),
  };
}
