/** API group coordination.k8s.io/v1: leases. */
import type { V1Lease } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespacedObject } from './wire.ts';

/** A lock that expires, for example the lock of an operator's leader, or the heartbeat of a node. */
export interface Lease extends StoredNamespacedObject<V1Lease, 'coordination.k8s.io/v1', 'Lease'> {}

/** API group coordination.k8s.io/v1: leases. */
export const coordination = {
  v1: {
    leases: namespacedResource<Lease>('coordination.k8s.io/v1', 'Lease'),
  },
} as const;
