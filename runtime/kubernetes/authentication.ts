/** authentication.k8s.io/v1: who a token belongs to. */
import type { V1SelfSubjectReview, V1TokenReview } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface SelfSubjectReview
  extends StoredCluster<V1SelfSubjectReview, 'authentication.k8s.io/v1', 'SelfSubjectReview'> {}
export interface TokenReview extends StoredCluster<V1TokenReview, 'authentication.k8s.io/v1', 'TokenReview'> {}

export const authentication = {
  v1: {
    selfSubjectReviews: clusterResource<SelfSubjectReview>('authentication.k8s.io/v1', 'SelfSubjectReview'),
    tokenReviews: clusterResource<TokenReview>('authentication.k8s.io/v1', 'TokenReview'),
  },
} as const;
