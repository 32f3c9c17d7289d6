/** RBAC roles as controller-gen makes them, from the tables in the sources. */
import { stringify } from 'yaml';
import type { PolicyRule } from '../../runtime/policy-rule.ts';

/** The text of a ClusterRole that allows what `rules` name, and no more. */
export function clusterRoleYaml(name: string, rules: readonly PolicyRule[]): string {
  return roleOfKind('ClusterRole', name, rules);
}

/** The same in one namespace: the one that it is put in. */
export function roleYaml(name: string, rules: readonly PolicyRule[]): string {
  return roleOfKind('Role', name, rules);
}

function roleOfKind(kind: 'ClusterRole' | 'Role', name: string, rules: readonly PolicyRule[]): string {
  const role = {
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
  return `---\n${stringify(role)}`;
}
