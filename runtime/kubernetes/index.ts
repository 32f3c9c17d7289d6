/** Types and pure functions for Kubernetes objects, such as keys, owners, finalizers, conditions and field errors. */
export * from './access.ts';
export {
  type Condition,
  errorCondition,
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
export { formatDurationMs, parseDurationMs } from './duration.ts';
export { type Event as EventsV1Event, events } from './events.ts';
export * from './extensions.ts';
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
export {
  type ClusterObject,
  type ClusterObjectMeta,
  getControllerReference,
  type KubernetesObject,
  type ManagedFieldsEntry,
  type NamespacedObject,
  type NamespacedObjectMeta,
  type NewObject,
  type NewUnnamedObject,
  type ObjectMeta,
  type ObjectToCreate,
  type OwnerReference,
  type SpecOf,
  type Unstructured,
} from './object.ts';
export {
  AlreadyOwnedError,
  controllerReference,
  hasOwner,
  isControlledBy,
  type OwnerReferenceOptions,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owners.ts';
export type { NonResourceRule, PolicyRule, PolicyVerb, ResourceRule } from './policy-rule.ts';
export { Quantity } from './quantity.ts';
export {
  type ClusterKey,
  clusterResource,
  formatApiVersion,
  formatKey,
  type InputResource,
  type KeyFor,
  type NamespacedKey,
  namespacedResource,
  type ObjectKey,
  objectKeyFromObject,
  type Resource,
  resourcePath,
} from './resource.ts';
export * from './storage.ts';
export * from './subresource.ts';
export type { Wire } from './wire.ts';
export * from './workloads.ts';
