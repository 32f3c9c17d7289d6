/** node.k8s.io/v1: how nodes run containers. */
import type { V1RuntimeClass } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface RuntimeClass extends StoredCluster<V1RuntimeClass, 'node.k8s.io/v1', 'RuntimeClass'> {}

export const node = {
  v1: {
    runtimeClasses: clusterResource<RuntimeClass>('node.k8s.io/v1', 'RuntimeClass'),
  },
} as const;
