/**
 * controller-runtime for TypeScript: a library for Kubernetes operators. README.md explains how to use the library.
 *
 * The entry points `controller-runtime/kubernetes` and `controller-runtime/schema` contain only code without I/O. The
 * entry point `controller-runtime/manifests` generates manifests. Modules without an entry point in package.json are
 * internal.
 */
export type { Cache, InformerScope } from './cache/cache.ts';
export type { EventHandler } from './cache/event-handler.ts';
export type { Informer } from './cache/informer.ts';
export type { PartialObjectMetadata } from './cache/partial-object.ts';
export type { NamespaceSelector } from './cache/selected-namespaces.ts';
export type {
  ApplyOptions,
  CachedListOptions,
  CachedReader,
  Client,
  DeleteAllOfOptions,
  DeleteOptions,
  ListOptions,
  LiveListOptions,
  LiveReader,
  PatchOptions,
  Reader,
  ReadOptions,
  StatusUpdate,
  SubresourceClient,
  WriteOptions,
  Writer,
} from './client/client.ts';
export {
  type CreateOrUpdateResult,
  createOrPatch,
  createOrUpdate,
  type DesiredState,
} from './client/create-or-update.ts';
export { type CredentialsOptions, KubeConfigCredentials } from './client/credentials.ts';
export {
  ApiError,
  type ApiStatus,
  findApiError,
  InvalidResponseError,
  ignoreAlreadyExists,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isRequestRejected,
  isTooManyRequests,
  ResponseTooLargeError,
  type StatusCause,
} from './client/errors.ts';
export type { KubeConfig } from './client/kubeconfig/kubeconfig.ts';
export { loadKubeConfig } from './client/kubeconfig/loading-rules.ts';
export { type LabelSelector, LabelSelectorError, type ParsedLabelSelector } from './client/label-selector.ts';
export { LiveClient, type LiveClientOptions } from './client/live-client.ts';
export { type MergeFromOptions, mergeFrom } from './client/merge-from.ts';
export type { ApplyConfiguration, JsonPatchOperation, MergePatch, OwnedConfiguration, Patch } from './client/patch.ts';
export { type PodLogOptions, streamPodLogs } from './client/pod-logs.ts';
export { ProxyError } from './client/proxy-error.ts';
export {
  type ApiRequest,
  type CredentialsSource,
  HttpTransport,
  type HttpTransportOptions,
  type Transport,
} from './client/transport.ts';
export { type Cancel, type Clock, sleep } from './clock/clock.ts';
export { SystemClock } from './clock/system-clock.ts';
export { ConfigurationError } from './configuration-error.ts';
export { ChannelSource } from './controller/channel-source.ts';
export type { Controller, SourceOptions } from './controller/controller.ts';
export type {
  BuilderOptions,
  ControllerBuilder,
  NamedController,
  OwnsOptions,
  WatchOptions,
} from './controller/controller-builder.ts';
export type { PriorityFunction } from './controller/enqueuing-handler.ts';
export {
  type EnqueueForOwnerOptions,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  type MapToRequests,
} from './controller/map-to-requests.ts';
export type { ObjectContext } from './controller/object-context.ts';
export type { ErrorHandler, Finalizer, FinalizerName, ReconcileFunction } from './controller/object-reconciler.ts';
export * from './controller/predicate.ts';
export {
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  TerminalError,
} from './controller/reconcile.ts';
export type { EventType } from './events/core-event.ts';
export type { EventOutcome, EventRecorder } from './events/event-recorder.ts';
export {
  bindAddress,
  bool,
  durationMs,
  instant,
  integer,
  labelSelectorText,
  namespaceList,
  oneOf,
  optionalText,
  type Parsed,
  text,
  textList,
} from './flags/flag-values.ts';
export {
  type Flag,
  type FlagTable,
  type FlagValues,
  type ParsedFlags,
  type Program,
  parseFlags,
  parseFlagValues,
  parseProcessFlags,
} from './flags/flags.ts';
export { validateLeaseFlags } from './flags/leader-election-flags.ts';
export { type ManagerFlagDefaults, type ManagerFlags, managerFlags } from './flags/manager-flags.ts';
export { toManagerOptions } from './flags/to-manager-options.ts';
export type { BindAddress } from './http/bind-address.ts';
export type { HealthCheck, HealthCheckResult, HealthChecks } from './http/healthz.ts';
export * from './kubernetes/index.ts';
export type { LogFields, Logger, LogLevel } from './log/logger.ts';
export type { Cluster, ClusterProvider, ClusterRegistry } from './manager/clusters.ts';
export { createManager } from './manager/create-manager.ts';
export type { Manager } from './manager/manager.ts';
export type {
  LeaderElectionOptions,
  LogOptions,
  ManagedCertificateOptions,
  ManagerOptions,
  MetricsOptions,
  WebhookOptions,
  WebhooksOff,
} from './manager/manager-options.ts';
export { type ManagerRuleOptions, type ManagerRules, managerRules } from './manager/manager-rules.ts';
export type { Runnable } from './manager/runnable-group.ts';
export {
  migrateStorage,
  type StorageMigrationHost,
  type StorageMigrationOptions,
  storageMigration,
} from './manager/storage-migration.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramDefinition,
  type MetricDefinition,
  type MetricDescription,
  type MetricLabels,
  MetricsRegistry,
  type ObservedGauge,
  type RenderedMetrics,
} from './metrics/metrics-registry.ts';
export type { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
export type { SnapshotDefinition, SnapshotGauge } from './metrics/snapshot-gauges.ts';
export { stopSignal } from './process/stop-signal.ts';
export * from './schema/index.ts';
export {
  type AdmissionContext,
  type AdmissionWebhooks,
  type Change,
  type ChangeValidator,
  type CreateOrUpdateValidator,
  type Defaulter,
  type DeleteValidator,
  type Draft,
  InvalidError,
  type ObjectSchema,
  subresourceOf,
  type UserInfo,
  type ValidationResult,
  type ValidatorOutput,
  type WebhookRegistrar,
  type WebhookSettings,
} from './webhook/admission.ts';
export type {
  AdmittedKind,
  MatchCondition,
  WebhookDeclaration,
  WebhookLabelSelector,
  WebhookSelectors,
} from './webhook/webhook-declaration.ts';
export { collectDeclarations } from './webhook/webhook-registry.ts';
export { withDefaults } from './webhook/with-defaults.ts';
export type { RateLimits } from './workqueue/rate-limiter.ts';
export type { Priority } from './workqueue/work-queue.ts';
