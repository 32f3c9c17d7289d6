/** Permissions for a user, or for a ServiceAccount by its user name. */
import type { LiveClient, ResourceRule } from 'controller-runtime';
import { type ClusterRole, rbac } from 'controller-runtime/kubernetes';

type RbacRules = NonNullable<ClusterRole['rules']>;

const apiGroup = 'rbac.authorization.k8s.io';
const metadata = { generateName: 'granted-' };
export const READ_CRON_JOBS = {
  apiGroups: ['batch.tutorial.kubebuilder.io'],
  resources: ['cronjobs'],
  verbs: ['get', 'list'],
};

/** Rules with the field names of the Kubernetes API. */
export function toRbacRules(rules: readonly ResourceRule[]): RbacRules {
  return rules.map(({ group, ...rule }) => ({ apiGroups: [group], ...rule }));
}

/** Grants these permissions in one namespace. */
export async function grant(client: LiveClient, user: string, namespace: string, rules: RbacRules): Promise<void> {
  const inNamespace = { ...metadata, namespace };
  const { name } = (await client.create(rbac.v1.roles, { metadata: inNamespace, rules })).metadata;
  const binding = { roleRef: { apiGroup, kind: 'Role', name }, subjects: [{ apiGroup, kind: 'User', name: user }] };
  await client.create(rbac.v1.roleBindings, { metadata: inNamespace, ...binding });
}

/** Grants these permissions in every namespace, and for cluster-scoped objects. */
export async function grantClusterWide(client: LiveClient, user: string, rules: RbacRules): Promise<void> {
  const { name } = (await client.create(rbac.v1.clusterRoles, { metadata, rules })).metadata;
  const subjects = [{ apiGroup, kind: 'User', name: user }];
  await client.create(rbac.v1.clusterRoleBindings, {
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  });
}
