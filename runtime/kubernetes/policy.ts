/** policy/v1: limits of voluntary disruption. */
import type { V1PodDisruptionBudget } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespaced } from './wire.ts';

export interface PodDisruptionBudget
  extends StoredNamespaced<V1PodDisruptionBudget, 'policy/v1', 'PodDisruptionBudget', 'spec'> {}

export const policy = {
  v1: {
    podDisruptionBudgets: namespacedResource<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget'),
  },
} as const;
