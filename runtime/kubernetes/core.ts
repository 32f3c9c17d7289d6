/** API group core/v1: Pods, Services, ConfigMaps, Secrets, namespaces, nodes and volumes. */
import type {
  CoreV1Event,
  V1ConfigMap,
  V1Endpoints,
  V1LimitRange,
  V1Namespace,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodTemplate,
  V1ReplicationController,
  V1ResourceQuota,
  V1Secret,
  V1Service,
  V1ServiceAccount,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredClusterObject, StoredNamespacedObject } from './wire.ts';

/** Configuration as text or bytes by key. */
export interface ConfigMap extends StoredNamespacedObject<V1ConfigMap, 'v1', 'ConfigMap'> {}
/** The addresses of a Service. EndpointSlices replace Endpoints. */
export interface Endpoints extends StoredNamespacedObject<V1Endpoints, 'v1', 'Endpoints'> {}
/** A report about an object. The API group events.k8s.io/v1 has a newer version. */
export interface Event extends StoredNamespacedObject<CoreV1Event, 'v1', 'Event'> {}
/** Limits and defaults for the resources of the Pods in a namespace. */
export interface LimitRange extends StoredNamespacedObject<V1LimitRange, 'v1', 'LimitRange', 'spec'> {}
/** A namespace. */
export interface Namespace extends StoredClusterObject<V1Namespace, 'v1', 'Namespace'> {}
/** A machine of the cluster. */
export interface Node extends StoredClusterObject<V1Node, 'v1', 'Node'> {}
/** A volume of the cluster. */
export interface PersistentVolume extends StoredClusterObject<V1PersistentVolume, 'v1', 'PersistentVolume', 'spec'> {}
/** A request for storage, which a PersistentVolume satisfies. */
export interface PersistentVolumeClaim
  extends StoredNamespacedObject<V1PersistentVolumeClaim, 'v1', 'PersistentVolumeClaim', 'spec'> {}
/** A group of containers on one node. */
export interface Pod extends StoredNamespacedObject<V1Pod, 'v1', 'Pod', 'spec'> {}
/** A stored template of Pods. */
export interface PodTemplate extends StoredNamespacedObject<V1PodTemplate, 'v1', 'PodTemplate'> {}
/** Keeps a number of Pods running. ReplicaSets and Deployments replace ReplicationControllers. */
export interface ReplicationController
  extends StoredNamespacedObject<V1ReplicationController, 'v1', 'ReplicationController', 'spec'> {}
/** Limits for the total use of resources in a namespace. */
export interface ResourceQuota extends StoredNamespacedObject<V1ResourceQuota, 'v1', 'ResourceQuota', 'spec'> {}
/** Confidential data by key. The values of `data` are base64-encoded. */
export interface Secret extends StoredNamespacedObject<V1Secret, 'v1', 'Secret'> {}
/** A stable address for a set of Pods. */
export interface Service extends StoredNamespacedObject<V1Service, 'v1', 'Service', 'spec'> {}
/** An identity for the processes in Pods. */
export interface ServiceAccount extends StoredNamespacedObject<V1ServiceAccount, 'v1', 'ServiceAccount'> {}

/** API group core/v1: Pods, Services, ConfigMaps, Secrets, namespaces, nodes and volumes. */
export const core = {
  v1: {
    configMaps: namespacedResource<ConfigMap>('v1', 'ConfigMap'),
    endpoints: namespacedResource<Endpoints>('v1', 'Endpoints', 'endpoints'),
    events: namespacedResource<Event>('v1', 'Event'),
    limitRanges: namespacedResource<LimitRange>('v1', 'LimitRange'),
    namespaces: clusterResource<Namespace>('v1', 'Namespace'),
    nodes: clusterResource<Node>('v1', 'Node'),
    persistentVolumes: clusterResource<PersistentVolume>('v1', 'PersistentVolume'),
    persistentVolumeClaims: namespacedResource<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim'),
    pods: namespacedResource<Pod>('v1', 'Pod'),
    podTemplates: namespacedResource<PodTemplate>('v1', 'PodTemplate'),
    replicationControllers: namespacedResource<ReplicationController>('v1', 'ReplicationController'),
    resourceQuotas: namespacedResource<ResourceQuota>('v1', 'ResourceQuota'),
    secrets: namespacedResource<Secret>('v1', 'Secret'),
    services: namespacedResource<Service>('v1', 'Service'),
    serviceAccounts: namespacedResource<ServiceAccount>('v1', 'ServiceAccount'),
  },
} as const;
