/** API groups for network traffic. */
import type {
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1NetworkPolicy,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredClusterObject, StoredNamespacedObject } from './wire.ts';

/** A part of the addresses of a Service. */
export interface EndpointSlice
  extends StoredNamespacedObject<V1EndpointSlice, 'discovery.k8s.io/v1', 'EndpointSlice'> {}

/** API group discovery.k8s.io/v1: EndpointSlices of Services. */
export const discovery = {
  v1: {
    endpointSlices: namespacedResource<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'),
  },
} as const;

/** Rules for HTTP traffic that reaches Services from outside the cluster. */
export interface Ingress extends StoredNamespacedObject<V1Ingress, 'networking.k8s.io/v1', 'Ingress'> {}
/** A class of Ingresses that one controller implements. */
export interface IngressClass extends StoredClusterObject<V1IngressClass, 'networking.k8s.io/v1', 'IngressClass'> {}
/** The connections that Pods may open and accept. */
export interface NetworkPolicy
  extends StoredNamespacedObject<V1NetworkPolicy, 'networking.k8s.io/v1', 'NetworkPolicy', 'spec'> {}

/** API group networking.k8s.io/v1: Ingresses and network policies. */
export const networking = {
  v1: {
    ingresses: namespacedResource<Ingress>('networking.k8s.io/v1', 'Ingress'),
    ingressClasses: clusterResource<IngressClass>('networking.k8s.io/v1', 'IngressClass'),
    networkPolicies: namespacedResource<NetworkPolicy>('networking.k8s.io/v1', 'NetworkPolicy'),
  },
} as const;
