/** API groups for workloads, scaling and scheduling. */
import type {
  V1ControllerRevision,
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1JobTemplateSpec,
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1ReplicaSet,
  V1RuntimeClass,
  V1StatefulSet,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource, namespacedResource } from './resource.ts';
import type { StoredClusterObject, StoredNamespacedObject, Wire } from './wire.ts';

/** A version of the Pod template of a StatefulSet or a DaemonSet. */
export interface ControllerRevision
  extends StoredNamespacedObject<V1ControllerRevision, 'apps/v1', 'ControllerRevision'> {}
/** Runs a Pod on each node. */
export interface DaemonSet extends StoredNamespacedObject<V1DaemonSet, 'apps/v1', 'DaemonSet', 'spec'> {}
/** Runs a number of equal Pods and replaces them step by step after a change. */
export interface Deployment extends StoredNamespacedObject<V1Deployment, 'apps/v1', 'Deployment', 'spec'> {}
/** Keeps a number of equal Pods running. */
export interface ReplicaSet extends StoredNamespacedObject<V1ReplicaSet, 'apps/v1', 'ReplicaSet', 'spec'> {}
/** Runs Pods with stable names and storage. */
export interface StatefulSet extends StoredNamespacedObject<V1StatefulSet, 'apps/v1', 'StatefulSet', 'spec'> {}

/** API group apps/v1: Deployments, StatefulSets, DaemonSets and ReplicaSets. */
export const apps = {
  v1: {
    controllerRevisions: namespacedResource<ControllerRevision>('apps/v1', 'ControllerRevision'),
    daemonSets: namespacedResource<DaemonSet>('apps/v1', 'DaemonSet'),
    deployments: namespacedResource<Deployment>('apps/v1', 'Deployment'),
    replicaSets: namespacedResource<ReplicaSet>('apps/v1', 'ReplicaSet'),
    statefulSets: namespacedResource<StatefulSet>('apps/v1', 'StatefulSet'),
  },
} as const;

/** Scales a workload when the load of its Pods changes. */
export interface HorizontalPodAutoscaler
  extends StoredNamespacedObject<V2HorizontalPodAutoscaler, 'autoscaling/v2', 'HorizontalPodAutoscaler', 'spec'> {}

/** API group autoscaling/v2: horizontal Pod autoscalers. */
export const autoscaling = {
  v2: {
    horizontalPodAutoscalers: namespacedResource<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler'),
  },
} as const;

/** Creates Jobs on a schedule. The built-in kind of batch/v1. */
export interface CronJob extends StoredNamespacedObject<V1CronJob, 'batch/v1', 'CronJob', 'spec'> {}
/** Runs Pods until a number of them succeed. */
export interface Job extends StoredNamespacedObject<V1Job, 'batch/v1', 'Job', 'spec'> {}

/** The template of a CronJob's Jobs. */
export type JobTemplateSpec = Wire<V1JobTemplateSpec>;

/** API group batch/v1: Jobs and CronJobs. */
export const batch = {
  v1: {
    cronJobs: namespacedResource<CronJob>('batch/v1', 'CronJob'),
    jobs: namespacedResource<Job>('batch/v1', 'Job'),
  },
} as const;

/** A container runtime that Pods can select by name. */
export interface RuntimeClass extends StoredClusterObject<V1RuntimeClass, 'node.k8s.io/v1', 'RuntimeClass'> {}

/** API group node.k8s.io/v1: runtime classes. */
export const node = {
  v1: {
    runtimeClasses: clusterResource<RuntimeClass>('node.k8s.io/v1', 'RuntimeClass'),
  },
} as const;

/** Limits how many Pods can be evicted at the same time. */
export interface PodDisruptionBudget
  extends StoredNamespacedObject<V1PodDisruptionBudget, 'policy/v1', 'PodDisruptionBudget', 'spec'> {}

/** API group policy/v1: Pod disruption budgets. */
export const policy = {
  v1: {
    podDisruptionBudgets: namespacedResource<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget'),
  },
} as const;

/**
 * A named priority that Pods can select. The scheduler places Pods with a high priority first, and may evict other
 * Pods.
 */
export interface PriorityClass extends StoredClusterObject<V1PriorityClass, 'scheduling.k8s.io/v1', 'PriorityClass'> {}

/** API group scheduling.k8s.io/v1: priority classes of Pods. */
export const scheduling = {
  v1: {
    priorityClasses: clusterResource<PriorityClass>('scheduling.k8s.io/v1', 'PriorityClass'),
  },
} as const;
