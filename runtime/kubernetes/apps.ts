/** apps/v1: workloads that keep running. */
import type {
  V1ControllerRevision,
  V1DaemonSet,
  V1Deployment,
  V1ReplicaSet,
  V1StatefulSet,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespaced } from './wire.ts';

export interface ControllerRevision extends StoredNamespaced<V1ControllerRevision, 'apps/v1', 'ControllerRevision'> {}
export interface DaemonSet extends StoredNamespaced<V1DaemonSet, 'apps/v1', 'DaemonSet', 'spec'> {}
export interface Deployment extends StoredNamespaced<V1Deployment, 'apps/v1', 'Deployment', 'spec'> {}
export interface ReplicaSet extends StoredNamespaced<V1ReplicaSet, 'apps/v1', 'ReplicaSet', 'spec'> {}
export interface StatefulSet extends StoredNamespaced<V1StatefulSet, 'apps/v1', 'StatefulSet', 'spec'> {}

export const apps = {
  v1: {
    controllerRevisions: namespacedResource<ControllerRevision>('apps/v1', 'ControllerRevision'),
    daemonSets: namespacedResource<DaemonSet>('apps/v1', 'DaemonSet'),
    deployments: namespacedResource<Deployment>('apps/v1', 'Deployment'),
    replicaSets: namespacedResource<ReplicaSet>('apps/v1', 'ReplicaSet'),
    statefulSets: namespacedResource<StatefulSet>('apps/v1', 'StatefulSet'),
  },
} as const;
