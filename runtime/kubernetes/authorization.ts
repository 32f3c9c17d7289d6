/** authorization.k8s.io/v1: who may do what. */
import type {
  V1LocalSubjectAccessReview,
  V1SelfSubjectAccessReview,
  V1SelfSubjectRulesReview,
  V1SubjectAccessReview,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredCluster, StoredNamespaced } from './wire.ts';

const V1 = 'authorization.k8s.io/v1';

export interface LocalSubjectAccessReview
  extends StoredNamespaced<V1LocalSubjectAccessReview, typeof V1, 'LocalSubjectAccessReview'> {}
export interface SelfSubjectAccessReview
  extends StoredCluster<V1SelfSubjectAccessReview, typeof V1, 'SelfSubjectAccessReview'> {}
export interface SelfSubjectRulesReview
  extends StoredCluster<V1SelfSubjectRulesReview, typeof V1, 'SelfSubjectRulesReview'> {}
export interface SubjectAccessReview extends StoredCluster<V1SubjectAccessReview, typeof V1, 'SubjectAccessReview'> {}

export const authorization = {
  v1: {
    localSubjectAccessReviews: namespacedResource<LocalSubjectAccessReview>(V1, 'LocalSubjectAccessReview'),
    selfSubjectAccessReviews: clusterResource<SelfSubjectAccessReview>(V1, 'SelfSubjectAccessReview'),
    selfSubjectRulesReviews: clusterResource<SelfSubjectRulesReview>(V1, 'SelfSubjectRulesReview'),
    subjectAccessReviews: clusterResource<SubjectAccessReview>(V1, 'SubjectAccessReview'),
  },
} as const;
