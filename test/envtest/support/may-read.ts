import { rbac } from 'controller-runtime/kubernetes';
import type { Scene } from '../../support/scene.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Gives a user the right to read our CronJobs in the namespace of the scene, and none else but `more`. */
export async function mayRead({ client, namespace }: Scene, user: string, more: readonly Rule[] = []): Promise<void> {
  const metadata = { name: `${user}-reads`, namespace };
  const apiGroup = 'rbac.authorization.k8s.io';
  await client.create(rbac.v1.roles, {
    metadata,
    rules: [{ apiGroups: ['batch.tutorial.kubebuilder.io'], resources: ['cronjobs'], verbs: ['get', 'list'] }, ...more],
  });
  await client.create(rbac.v1.roleBindings, {
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: metadata.name },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
}
