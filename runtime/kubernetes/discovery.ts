/** discovery.k8s.io/v1: where services are served. */
import type { V1EndpointSlice } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespaced } from './wire.ts';

export interface EndpointSlice extends StoredNamespaced<V1EndpointSlice, 'discovery.k8s.io/v1', 'EndpointSlice'> {}

export const discovery = {
  v1: {
    endpointSlices: namespacedResource<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'),
  },
} as const;
