/** Creates users with roles in a real API server. */
import type { LiveClient } from '../client/live-client.ts';
import { authorization, rbac } from '../kubernetes/access.ts';
import type { ResourceRule } from '../kubernetes/policy-rule.ts';
import { toRbacRule } from '../manifests/role.ts';
import type { UserRoles } from './cluster.ts';
import { eventually } from './eventually.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** A user with roles in an API server. */
export interface TestUser {
  readonly name: string;
  /** Deletes the roles of the user. */
  readonly delete: () => Promise<void>;
}

/** Creates a user with these roles. Resolves when the API server enforces the roles. */
export async function createUser(client: LiveClient, roles: UserRoles): Promise<TestUser> {
  const { namespace, clusterRules, namespaceRules } = roles;
  const generateName = `${roles.name}-`;
  const clusterRole = await client.create(rbac.v1.clusterRoles, {
    metadata: { generateName },
    rules: clusterRules.map(toStoredRule),
  });
  const { name } = clusterRole.metadata;
  const user = `system:serviceaccount:${namespace}:${name}`;
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  await client.create(rbac.v1.clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  });
  const key = { namespace, name };
  if (namespaceRules.length > 0) {
    await client.create(rbac.v1.roles, { metadata: key, rules: namespaceRules.map(toStoredRule) });
    await client.create(rbac.v1.roleBindings, {
      metadata: key,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects,
    });
  }
  const isResourceRule = (rule: object): rule is ResourceRule => 'group' in rule;
  for (const rule of clusterRules.filter(isResourceRule)) await waitUntilAllowed(client, user, rule);
  for (const rule of namespaceRules.filter(isResourceRule)) await waitUntilAllowed(client, user, rule, namespace);
  return {
    name: user,
    delete: async () => {
      await client.delete(rbac.v1.clusterRoleBindings, { name });
      await client.delete(rbac.v1.clusterRoles, { name });
      if (namespaceRules.length === 0) return;
      await client.delete(rbac.v1.roleBindings, key);
      await client.delete(rbac.v1.roles, key);
    },
  };
}

function toStoredRule(rule: UserRoles['clusterRules'][number]) {
  const { verbs, ...lists } = toRbacRule(rule);
  return { ...lists, verbs: [...verbs] };
}

async function waitUntilAllowed(
  client: LiveClient,
  user: string,
  { group, resources: [resource = ''], resourceNames = [], verbs: [verb = ''] }: ResourceRule,
  namespace?: string,
): Promise<void> {
  const [name] = resourceNames;
  const resourceAttributes = {
    group,
    resource: resource.split('/')[0] ?? '',
    ...(resource.includes('/') && { subresource: resource.slice(resource.indexOf('/') + 1) }),
    verb,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
  const review = { metadata: { name: '' }, spec: { user, resourceAttributes } };
  await eventually(async () => {
    const { status } = await client.create(authorization.v1.subjectAccessReviews, review);
    if (!status?.allowed) throw new Error(`the API server does not enforce the roles of ${user} yet`);
  });
}
