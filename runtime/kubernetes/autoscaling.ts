/** autoscaling/v2: workloads that grow and shrink. */
import type { V2HorizontalPodAutoscaler } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespaced } from './wire.ts';

export interface HorizontalPodAutoscaler
  extends StoredNamespaced<V2HorizontalPodAutoscaler, 'autoscaling/v2', 'HorizontalPodAutoscaler', 'spec'> {}

export const autoscaling = {
  v2: {
    horizontalPodAutoscalers: namespacedResource<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler'),
  },
} as const;
