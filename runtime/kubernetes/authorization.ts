/** authorization.k8s.io/v1: who may do what. */
import type {
  V1LocalSubjectAccessReview,
  V1SelfSubjectAccessReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredCluster, StoredNamespaced } from './wire.ts';

export interface LocalSubjectAccessReview
  extends StoredNamespaced<V1LocalSubjectAccessReview, 'authorization.k8s.io/v1', 'LocalSubjectAccessReview'> {}
export interface SelfSubjectAccessReview
  extends StoredCluster<V1SelfSubjectAccessReview, 'authorization.k8s.io/v1', 'SelfSubjectAccessReview'> {}
export interface SelfSubjectRulesReview
  extends StoredCluster<V1SelfSubjectRulesReview, 'authorization.k8s.io/v1', 'SelfSubjectRulesReview'> {}
export interface SubjectAccessReview
  extends StoredCluster<V1SubjectAccessReview, 'authorization.k8s.io/v1', 'SubjectAccessReview'> {}

export const authorization = {
  v1: {
    localSubjectAccessReviews: namespacedResource<LocalSubjectAccessReview>(
      'authorization.k8s.io/v1',
      'LocalSubjectAccessReview',
    ),
    selfSubjectAccessReviews: clusterResource<SelfSubjectAccessReview>(
      'authorization.k8s.io/v1',
      'SelfSubjectAccessReview',
    ),
    selfSubjectRulesReviews: clusterResource<SelfSubjectRulesReview>(
      'authorization.k8s.io/v1',
      'SelfSubjectRulesReview',
    ),
    subjectAccessReviews: clusterResource<SubjectAccessReview>('authorization.k8s.io/v1', 'SubjectAccessReview'),
  },
} as const;
