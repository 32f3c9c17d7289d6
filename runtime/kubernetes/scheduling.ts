/** scheduling.k8s.io/v1: which pods go first. */
import type { V1PriorityClass } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface PriorityClass extends StoredCluster<V1PriorityClass, 'scheduling.k8s.io/v1', 'PriorityClass'> {}

export const scheduling = {
  v1: {
    priorityClasses: clusterResource<PriorityClass>('scheduling.k8s.io/v1', 'PriorityClass'),
  },
} as const;
