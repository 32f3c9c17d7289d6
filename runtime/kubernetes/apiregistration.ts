/** apiregistration.k8s.io/v1: API servers behind the API server. */
import type { V1APIService } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface APIService extends StoredCluster<V1APIService, 'apiregistration.k8s.io/v1', 'APIService', 'spec'> {}

export const apiregistration = {
  v1: {
    apiServices: clusterResource<APIService>('apiregistration.k8s.io/v1', 'APIService'),
  },
} as const;
