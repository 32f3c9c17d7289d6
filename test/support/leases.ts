import type { KubernetesObject, Resource } from 'controller-runtime';

/** A Lease with a holder. */
interface HeldLease extends KubernetesObject {
  readonly spec: { readonly holderIdentity: string; readonly renewTime: string; readonly leaseTransitions: number };
}

export const leases: Resource<HeldLease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
