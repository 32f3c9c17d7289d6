/** RBAC roles as controller-gen makes them, from the tables in the sources. */
import { stringify } from 'yaml';
import type { PolicyRule } from '../../runtime/policy-rule.ts';

/** The text of a ClusterRole that allows what `rules` name, and no more. */
export function clusterRoleYaml(name: string, rules: readonly PolicyRule[]): string {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: rules.map(({ group, resources, verbs }) => ({ apiGroups: [group], resources, verbs })),
  };
  return `---\n${stringify(role)}`;
}
