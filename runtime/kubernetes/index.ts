/**
 * Kubernetes' own vocabulary: built-in kinds, objects and their keys, owners, finalizers, conditions, errors of fields. All of it
 * takes values and returns values.
 */
export {
  admissionregistration,
  type MutatingWebhookConfiguration,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type ValidatingWebhookConfiguration,
} from './admissionregistration.ts';
export { apiextensions, type CustomResourceDefinition } from './apiextensions.ts';
export { type APIService, apiregistration } from './apiregistration.ts';
export {
  apps,
  type ControllerRevision,
  type DaemonSet,
  type Deployment,
  type ReplicaSet,
  type StatefulSet,
} from './apps.ts';
export { authentication, type SelfSubjectReview, type TokenReview } from './authentication.ts';
export {
  authorization,
  type LocalSubjectAccessReview,
  type SelfSubjectAccessReview,
  type SelfSubjectRulesReview,
  type SubjectAccessReview,
} from './authorization.ts';
export { autoscaling, type HorizontalPodAutoscaler } from './autoscaling.ts';
export { batch, type CronJob, type Job, type JobTemplateSpec } from './batch.ts';
export { type CertificateSigningRequest, certificates } from './certificates.ts';
export {
  type Condition,
  getCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { coordination, type Lease } from './coordination.ts';
export {
  type ConfigMap,
  core,
  type Endpoints,
  type Event as CoreEvent,
  type LimitRange,
  type Namespace,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplate,
  type ReplicationController,
  type ResourceQuota,
  type Secret,
  type Service,
  type ServiceAccount,
} from './core.ts';
export { discovery, type EndpointSlice } from './discovery.ts';
export { events } from './events.ts';
export {
  duplicate,
  type FieldError,
  fieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from './field-error.ts';
export { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
export { type Ingress, type IngressClass, type NetworkPolicy, networking } from './networking.ts';
export { node, type RuntimeClass } from './node.ts';
export {
  type ClusterObject,
  controllerOf,
  type KubernetesObject,
  type ManagedFieldsEntry,
  type NamespacedObject,
  type NewObject,
  type NewUnnamedObject,
  type ObjectMeta,
  type ObjectToCreate,
  type OwnerReference,
  type SpecOf,
} from './object.ts';
export {
  AlreadyOwnedError,
  controllerReference,
  hasOwner,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owners.ts';
export { type PodDisruptionBudget, policy } from './policy.ts';
export type { PolicyRule } from './policy-rule.ts';
export { type ClusterRole, type ClusterRoleBinding, type Role, type RoleBinding, rbac } from './rbac.ts';
export {
  apiVersionOf,
  clusterResource,
  type InputResource,
  type KeyOf,
  keyOf,
  namespacedResource,
  type ObjectKey,
  objectKeyOf,
  pathOf,
  type Resource,
} from './resource.ts';
export { type PriorityClass, scheduling } from './scheduling.ts';
export {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  type StorageClass,
  storage,
  type VolumeAttachment,
} from './storage.ts';
export type { Wire } from './wire.ts';
