/** networking.k8s.io/v1: ways into the cluster, and between its pods. */
import type { V1Ingress, V1IngressClass, V1NetworkPolicy } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredCluster, StoredNamespaced } from './wire.ts';

export interface Ingress extends StoredNamespaced<V1Ingress, 'networking.k8s.io/v1', 'Ingress'> {}
export interface IngressClass extends StoredCluster<V1IngressClass, 'networking.k8s.io/v1', 'IngressClass'> {}
export interface NetworkPolicy
  extends StoredNamespaced<V1NetworkPolicy, 'networking.k8s.io/v1', 'NetworkPolicy', 'spec'> {}

export const networking = {
  v1: {
    ingresses: namespacedResource<Ingress>('networking.k8s.io/v1', 'Ingress'),
    ingressClasses: clusterResource<IngressClass>('networking.k8s.io/v1', 'IngressClass'),
    networkPolicies: namespacedResource<NetworkPolicy>('networking.k8s.io/v1', 'NetworkPolicy'),
  },
} as const;
