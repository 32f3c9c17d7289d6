/** API groups for authentication, authorization, RBAC and certificates. */
import type {
  V1CertificateSigningRequest,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1LocalSubjectAccessReview,
  V1Role,
  V1RoleBinding,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
  V1TokenReview,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredClusterObject, StoredNamespacedObject } from './wire.ts';

/** Asks the API server who the caller is. */
export interface SelfSubjectReview
  extends StoredClusterObject<V1SelfSubjectReview, 'authentication.k8s.io/v1', 'SelfSubjectReview'> {}
/** Asks the API server whether a token is valid, and which user it authenticates. */
export interface TokenReview extends StoredClusterObject<V1TokenReview, 'authentication.k8s.io/v1', 'TokenReview'> {}

/** API group authentication.k8s.io/v1: reviews of tokens and users. */
export const authentication = {
  v1: {
    selfSubjectReviews: clusterResource<SelfSubjectReview>('authentication.k8s.io/v1', 'SelfSubjectReview'),
    tokenReviews: clusterResource<TokenReview>('authentication.k8s.io/v1', 'TokenReview'),
  },
} as const;

const AUTHORIZATION_API_VERSION = 'authorization.k8s.io/v1';

/** Asks the API server whether a user may do something in one namespace. */
export interface LocalSubjectAccessReview
  extends StoredNamespacedObject<
    V1LocalSubjectAccessReview,
    typeof AUTHORIZATION_API_VERSION,
    'LocalSubjectAccessReview'
  > {}
/** Asks the API server whether the caller may do something. */
export interface SelfSubjectAccessReview
  extends StoredClusterObject<V1SelfSubjectAccessReview, typeof AUTHORIZATION_API_VERSION, 'SelfSubjectAccessReview'> {}
/** Asks the API server for the permissions of the caller in a namespace. */
export interface SelfSubjectRulesReview
  extends StoredClusterObject<V1SelfSubjectRulesReview, typeof AUTHORIZATION_API_VERSION, 'SelfSubjectRulesReview'> {}
/** Asks the API server whether a user may do something. */
export interface SubjectAccessReview
  extends StoredClusterObject<V1SubjectAccessReview, typeof AUTHORIZATION_API_VERSION, 'SubjectAccessReview'> {}

/** API group authorization.k8s.io/v1: access reviews. */
export const authorization = {
  v1: {
    localSubjectAccessReviews: namespacedResource<LocalSubjectAccessReview>(
      AUTHORIZATION_API_VERSION,
      'LocalSubjectAccessReview',
    ),
    selfSubjectAccessReviews: clusterResource<SelfSubjectAccessReview>(
      AUTHORIZATION_API_VERSION,
      'SelfSubjectAccessReview',
    ),
    selfSubjectRulesReviews: clusterResource<SelfSubjectRulesReview>(
      AUTHORIZATION_API_VERSION,
      'SelfSubjectRulesReview',
    ),
    subjectAccessReviews: clusterResource<SubjectAccessReview>(AUTHORIZATION_API_VERSION, 'SubjectAccessReview'),
  },
} as const;

/** A request to sign an X.509 certificate. */
export interface CertificateSigningRequest
  extends StoredClusterObject<V1CertificateSigningRequest, 'certificates.k8s.io/v1', 'CertificateSigningRequest'> {}

/** API group certificates.k8s.io/v1: requests for certificates. */
export const certificates = {
  v1: {
    certificateSigningRequests: clusterResource<CertificateSigningRequest>(
      'certificates.k8s.io/v1',
      'CertificateSigningRequest',
    ),
  },
} as const;

/** A set of permissions for the whole cluster, or for the namespaces of RoleBindings. */
export interface ClusterRole
  extends StoredClusterObject<V1ClusterRole, 'rbac.authorization.k8s.io/v1', 'ClusterRole'> {}
/** Grants a ClusterRole in the whole cluster. */
export interface ClusterRoleBinding
  extends StoredClusterObject<V1ClusterRoleBinding, 'rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'> {}
/** A set of permissions in one namespace. */
export interface Role extends StoredNamespacedObject<V1Role, 'rbac.authorization.k8s.io/v1', 'Role'> {}
/** Grants a Role or a ClusterRole in one namespace. */
export interface RoleBinding
  extends StoredNamespacedObject<V1RoleBinding, 'rbac.authorization.k8s.io/v1', 'RoleBinding'> {}

/** API group rbac.authorization.k8s.io/v1: roles and role bindings. */
export const rbac = {
  v1: {
    clusterRoles: clusterResource<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole'),
    clusterRoleBindings: clusterResource<ClusterRoleBinding>('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
    roles: namespacedResource<Role>('rbac.authorization.k8s.io/v1', 'Role'),
    roleBindings: namespacedResource<RoleBinding>('rbac.authorization.k8s.io/v1', 'RoleBinding'),
  },
} as const;
