/** API group storage.k8s.io/v1: storage classes, volume attachments and CSI drivers. */
import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredClusterObject, StoredNamespacedObject } from './wire.ts';

/** A storage driver that is installed in the cluster. */
export interface CSIDriver extends StoredClusterObject<V1CSIDriver, 'storage.k8s.io/v1', 'CSIDriver'> {}
/** The storage drivers of a node. */
export interface CSINode extends StoredClusterObject<V1CSINode, 'storage.k8s.io/v1', 'CSINode'> {}
/** The free storage of a CSI driver in a part of the cluster, such as a zone. */
export interface CSIStorageCapacity
  extends StoredNamespacedObject<V1CSIStorageCapacity, 'storage.k8s.io/v1', 'CSIStorageCapacity'> {}
/** A class of storage. A provisioner creates the PersistentVolumes of the class. */
export interface StorageClass extends StoredClusterObject<V1StorageClass, 'storage.k8s.io/v1', 'StorageClass'> {}
/** Attaches a volume to a node. */
export interface VolumeAttachment
  extends StoredClusterObject<V1VolumeAttachment, 'storage.k8s.io/v1', 'VolumeAttachment'> {}

/** API group storage.k8s.io/v1: storage classes, drivers and volume attachments. */
export const storage = {
  v1: {
    csiDrivers: clusterResource<CSIDriver>('storage.k8s.io/v1', 'CSIDriver'),
    csiNodes: clusterResource<CSINode>('storage.k8s.io/v1', 'CSINode'),
    csiStorageCapacities: namespacedResource<CSIStorageCapacity>('storage.k8s.io/v1', 'CSIStorageCapacity'),
    storageClasses: clusterResource<StorageClass>('storage.k8s.io/v1', 'StorageClass'),
    volumeAttachments: clusterResource<VolumeAttachment>('storage.k8s.io/v1', 'VolumeAttachment'),
  },
} as const;
