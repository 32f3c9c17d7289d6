import type { KubernetesObject, Resource } from 'controller-runtime';

/** A Lease with a holder. */
interface StoredLease extends KubernetesObject {
  readonly spec: { readonly holderIdentity: string; readonly renewTime: string; readonly leaseTransitions: number };
}

export const leases: Resource<StoredLease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
