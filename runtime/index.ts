/**
 * controller-runtime for TypeScript. This list is the package's whole interface; README.md says how to use it. The generator of
 * manifests is `controller-runtime/schema`.
 */
export type { InformerScope } from './cache/cache.ts';
export type { EventHandler, Informer } from './cache/informer.ts';
export type { PartialObjectMetadata } from './cache/partial-object.ts';
export type { ConfigurationRef } from './certificates/ca-bundle.ts';
export { callerRules, certificateSecretRules } from './certificates/policy-rules.ts';
export type {
  ApplyOptions,
  CachedListOptions,
  CachedReader,
  Client,
  DeleteOptions,
  ListOptions,
  LiveListOptions,
  LiveReader,
  PatchOptions,
  Reader,
  ReadOptions,
  StatusUpdate,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { type CreatedOrUpdated, createOrUpdate } from './client/create-or-update.ts';
export { KubeConfigCredentials, loadKubeConfig } from './client/credentials.ts';
export {
  ApiError,
  type ApiStatus,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  type StatusCause,
} from './client/errors.ts';
export type { LabelSelector } from './client/label-selector.ts';
export { LiveClient, type LiveClientOptions } from './client/live-client.ts';
export type { ApplyConfiguration, JsonPatchOperation, MergePatch, OwnedConfiguration, Patch } from './client/patch.ts';
export { HttpTransport, type HttpTransportOptions, type Transport } from './client/transport.ts';
export type { Cancel, Clock } from './clock/clock.ts';
export { SystemClock } from './clock/system-clock.ts';
export { ConfigurationError } from './configuration-error.ts';
export type { BuilderOptions, ControllerBuilder, NamedController, WatchOptions } from './controller/builder.ts';
export { ChannelSource } from './controller/channel-source.ts';
export { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './controller/handler.ts';
export type { ObjectContext } from './controller/object-context.ts';
export type { Finalizer, FinalizerName, ReconcileObject } from './controller/object-reconciler.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelSelector,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  specOrMetadataChanged,
} from './controller/predicate.ts';
export {
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  TerminalError,
} from './controller/reconcile.ts';
export type { EventType } from './events/event-correlator.ts';
export type { EventOutcome, EventRecorder } from './events/recorder.ts';
export { bool, durationMs, integer, oneOf, optionalText, type Parsed, text, textList } from './flags/flag-values.ts';
export {
  type Flag,
  type FlagTable,
  type FlagValues,
  flagsOfProcess,
  type ParsedFlags,
  type Program,
  parseFlags,
} from './flags/flags.ts';
export {
  contradictionInManagerFlags,
  type ManagerFlagDefaults,
  type ManagerFlags,
  managerFlags,
} from './flags/manager-flags.ts';
export { managerOptionsOf } from './flags/manager-options-of.ts';
export type { HealthCheck } from './http/healthz.ts';
export { admissionregistration } from './kubernetes/admissionregistration.ts';
export { apiextensions } from './kubernetes/apiextensions.ts';
export { apps, type DaemonSet, type Deployment, type ReplicaSet, type StatefulSet } from './kubernetes/apps.ts';
export { autoscaling, type HorizontalPodAutoscaler } from './kubernetes/autoscaling.ts';
export { batch, type CronJob, type Job } from './kubernetes/batch.ts';
export {
  type Condition,
  getCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from './kubernetes/conditions.ts';
export { coordination, type Lease } from './kubernetes/coordination.ts';
export {
  type ConfigMap,
  core,
  type Namespace,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type Secret,
  type Service,
  type ServiceAccount,
} from './kubernetes/core.ts';
export { discovery } from './kubernetes/discovery.ts';
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
} from './kubernetes/field-error.ts';
export { hasFinalizer, withFinalizer, withoutFinalizer } from './kubernetes/finalizers.ts';
export { type Ingress, type NetworkPolicy, networking } from './kubernetes/networking.ts';
export {
  type ClusterObject,
  controllerOf,
  type KubernetesObject,
  type NamespacedObject,
  type NewObject,
  type ObjectMeta,
  type OwnerReference,
} from './kubernetes/object.ts';
export {
  AlreadyOwnedError,
  controllerReference,
  isControlledBy,
  setControllerReference,
  setOwnerReference,
} from './kubernetes/owners.ts';
export { type PodDisruptionBudget, policy } from './kubernetes/policy.ts';
export type { PolicyRule } from './kubernetes/policy-rule.ts';
export { rbac } from './kubernetes/rbac.ts';
export {
  clusterResource,
  type KeyOf,
  keyOf,
  namespacedResource,
  type ObjectKey,
  type Resource,
} from './kubernetes/resource.ts';
export { storage } from './kubernetes/storage.ts';
export type { Wire } from './kubernetes/wire.ts';
export { discardLogger, type LogFields, type Logger, type LogLevel } from './log/logger.ts';
export { createManager } from './manager/create-manager.ts';
export type { Manager } from './manager/manager.ts';
export type {
  LeaderElectionOptions,
  ManagerOptions,
  MetricsOptions,
  OwnCertificateOptions,
  WebhookOptions,
} from './manager/manager-options.ts';
export type { Runnable } from './manager/runnable-group.ts';
export type { Counter, Gauge, Histogram, MetricsRegistry } from './metrics/registry.ts';
export { stopSignal } from './process/stop-signal.ts';
export { conditions } from './schema/conditions.ts';
export { apiRule, int32, int64, intOrString, kubernetesSchema, time } from './schema/field-types.ts';
export { defineKind, type Kind, type KindDefinition, type ObjectOf, type SpecInputOf } from './schema/kind.ts';
export {
  type AdmissionContext,
  type AdmissionWebhooks,
  type Change,
  type Draft,
  InvalidError,
  type UserInfo,
  type Verdict,
  type WebhookRegistrar,
} from './webhook/admission.ts';
export type { MatchCondition, WebhookDeclaration } from './webhook/declaration.ts';
export { withDefaults } from './webhook/draft.ts';
export { declarationsOf } from './webhook/registration.ts';
