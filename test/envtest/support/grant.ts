import type { LiveClient } from 'controller-runtime';
import { type Role, rbac } from 'controller-runtime/kubernetes';

/** Grants a user these rights in one namespace. */
export async function grant(
  client: LiveClient,
  user: string,
  namespace: string,
  rules: NonNullable<Role['rules']>,
): Promise<void> {
  const metadata = { generateName: 'granted-', namespace };
  const role = await client.create(rbac.v1.roles, { metadata, rules } as never); // the server makes the name
  await client.create(rbac.v1.roleBindings, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role.metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as never);
}
