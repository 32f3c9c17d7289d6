/** rbac.authorization.k8s.io/v1: roles, and who has them. */
import type {
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Role,
  V1RoleBinding,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredCluster, StoredNamespaced } from './wire.ts';

export interface ClusterRole extends StoredCluster<V1ClusterRole, 'rbac.authorization.k8s.io/v1', 'ClusterRole'> {}
export interface ClusterRoleBinding
  extends StoredCluster<V1ClusterRoleBinding, 'rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'> {}
export interface Role extends StoredNamespaced<V1Role, 'rbac.authorization.k8s.io/v1', 'Role'> {}
export interface RoleBinding extends StoredNamespaced<V1RoleBinding, 'rbac.authorization.k8s.io/v1', 'RoleBinding'> {}

export const rbac = {
  v1: {
    clusterRoles: clusterResource<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole'),
    clusterRoleBindings: clusterResource<ClusterRoleBinding>('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
    roles: namespacedResource<Role>('rbac.authorization.k8s.io/v1', 'Role'),
    roleBindings: namespacedResource<RoleBinding>('rbac.authorization.k8s.io/v1', 'RoleBinding'),
  },
} as const;
