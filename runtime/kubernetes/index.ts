/**
 * Kubernetes' own vocabulary: built-in kinds, objects and their keys, owners, finalizers, conditions, errors of fields. All of it
 * takes values and returns values.
 */
export * from './admissionregistration.ts';
export * from './apiextensions.ts';
export * from './apiregistration.ts';
export * from './apps.ts';
export * from './authentication.ts';
export * from './authorization.ts';
export * from './autoscaling.ts';
export * from './batch.ts';
export * from './certificates.ts';
export {
  type Condition,
  getCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from './conditions.ts';
export * from './coordination.ts';
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
export * from './discovery.ts';
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
export * from './networking.ts';
export * from './node.ts';
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
export * from './policy.ts';
export type { PolicyRule } from './policy-rule.ts';
export * from './rbac.ts';
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
export * from './scheduling.ts';
export * from './storage.ts';
export type { Wire } from './wire.ts';
