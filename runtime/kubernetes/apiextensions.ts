/** apiextensions.k8s.io/v1: definitions of custom resources. */
import type { V1CustomResourceDefinition } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface CustomResourceDefinition
  extends StoredCluster<V1CustomResourceDefinition, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'> {}

export const apiextensions = {
  v1: {
    customResourceDefinitions: clusterResource<CustomResourceDefinition>(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
    ),
  },
} as const;
