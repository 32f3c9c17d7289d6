import type { Cache, InformerScope } from '../cache/cache.ts';
import type { Informer } from '../cache/informer.ts';
import type { PartialObjectMetadata } from '../cache/partial-object.ts';
import type { CachedReader, LiveReader, Writer } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { PolicyVerb, ResourceRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { RateLimits } from '../workqueue/rate-limiter.ts';
import type { ChannelSource } from './channel-source.ts';
import { Controller, type SourceOptions } from './controller.ts';
import { createOwnerRule, createStatusRules, createWatchRule } from './controller-rules.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './map-to-requests.ts';
import {
  type ErrorHandler,
  type Finalizer,
  type FinalizerName,
  ObjectReconciler,
  type ObjectReconcilerOptions,
  type ReconcileFunction,
} from './object-reconciler.ts';
import type { Predicate } from './predicate.ts';
import type { Reconciler } from './reconcile.ts';
import type { ControllerMetrics } from './reconcile-metrics.ts';
import { StatusWrites } from './status-writes.ts';

/** Options of a controller. The option `controllers` of the manager sets the defaults. */
export interface BuilderOptions {
  /** Maximum number of concurrent reconciles. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /**
   * Timeout of a reconcile, in milliseconds. If a reconcile exceeds its timeout, its `signal` aborts, and the
   * controller retries the reconcile, whatever it returns. Default: reconciles have no timeout.
   */
  readonly reconcileTimeoutMs?: number | undefined;
  /** Sets the waits after failures and the limit of retries. Default: the defaults of {@link RateLimits}. */
  readonly rateLimits?: RateLimits | undefined;
}

/** Selects the objects that a controller watches, and the events that trigger a reconcile. */
export interface WatchOptions<T> extends InformerScope, SourceOptions<T> {
  /**
   * Verbs that the generated role allows for the kind, in addition to get, list and watch. Default for `owns`: `create`
   * and `patch`, which `apply` needs. Default for `for` and `watches`: no additional verbs.
   */
  readonly verbs?: readonly PolicyVerb[];
}

/**
 * {@link WatchOptions} for a watch of metadata only. The predicates and the mappers receive objects without spec and
 * status.
 */
export type MetadataWatchOptions<T extends KubernetesObject> = WatchOptions<PartialObjectMetadata<T>> & {
  readonly metadataOnly: true;
};

/** Options of {@link ControllerBuilder.owns} in addition to the options of all watches. */
export interface OwnsOptions {
  /**
   * Whether a change of an owned object reconciles all its owners, and not only its controller owner. Default false.
   */
  readonly matchEveryOwner?: boolean;
}

type WholeObjectWatchOptions<T> = WatchOptions<T> & { readonly metadataOnly?: false };

/** The parts of a manager that a controller needs. */
export interface ControllerHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly cache: Cache;
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly abortSignal: AbortSignal;
  readonly syncPeriodMs: number;
  /** Name of the cluster. Absent for the cluster of the manager. */
  readonly cluster?: string;
  /** Default options of the controllers. */
  readonly controllerDefaults: BuilderOptions;
  recorderFor(component: string): EventRecorder;
  addController(controller: { start(signal: AbortSignal): Promise<void> }): void;
  /** Adds RBAC rules for the generated role. */
  addRules(rules: readonly ResourceRule[]): void;
}

/** A controller with a name for logs and metrics. Call {@link for} to set the kind that the controller reconciles. */
export class NamedController {
  readonly #manager: ControllerHost;
  readonly #name: string;

  constructor(manager: ControllerHost, name: string) {
    this.#manager = manager;
    this.#name = name;
  }

  /**
   * Sets the kind to reconcile. The controller also reconciles all objects of the kind once per sync period. With
   * `metadataOnly`, the cache and the reconcile function get only the metadata of the objects.
   */
  for<T extends KubernetesObject>(
    resource: Resource<T>,
    options: MetadataWatchOptions<T>,
  ): ControllerBuilder<PartialObjectMetadata<T>>;
  for<T extends KubernetesObject>(resource: Resource<T>, options?: WholeObjectWatchOptions<T>): ControllerBuilder<T>;
  for<T extends KubernetesObject>(resource: Resource<T>, options: WatchOptions<T> = {}): ControllerBuilder<T> {
    return new ControllerBuilder(this.#manager, this.#name, resource, options);
  }
}

/**
 * Builds a controller that reconciles objects of type `T`. The last call, {@link reconcile} or {@link complete}, adds
 * the controller to the manager.
 */
export class ControllerBuilder<T extends KubernetesObject> {
  readonly #manager: ControllerHost;
  readonly #name: string;
  readonly #resource: Resource<T>;
  readonly #readMetadata: ObjectReconcilerOptions<T>['readMetadata'];
  readonly #informer: Informer<T>;
  readonly #addSourceFunctions: ((controller: Controller<T>) => void)[] = [];
  readonly #finalizers = new Map<FinalizerName, Finalizer<T>>();
  readonly #eventFilters: Predicate<KubernetesObject>[] = [];
  readonly #statusWrites = new StatusWrites();
  #errorHandler: ErrorHandler<T> | undefined;
  #options: BuilderOptions = {};

  constructor(manager: ControllerHost, name: string, resource: Resource<T>, options: WatchOptions<T>) {
    this.#manager = manager;
    this.#name = name;
    this.#resource = resource;
    const { predicates, priority, deletionShortensBackOff, verbs, ...scope } = options;
    if (scope.metadataOnly) this.#readMetadata = (key) => manager.cache.getMetadata(resource, key);
    // With `metadataOnly`, the overloads of `for` ensure that `T` has only metadata.
    const informer = manager.cache.informerFor(resource, scope as InformerScope & { readonly metadataOnly?: false });
    manager.addRules([createWatchRule(resource, verbs), ...createStatusRules(resource)]);
    const sourceOptions = { predicates, priority, deletionShortensBackOff, statusWrites: this.#statusWrites };
    this.#watch(informer, enqueueRequestForObject, sourceOptions);
    this.#informer = informer;
    this.#addSourceFunctions.push((controller) => controller.resync(informer, manager.syncPeriodMs));
  }

  /** Watches a kind of owned objects. A change of an object reconciles its controller owner. */
  owns<U extends KubernetesObject>(resource: Resource<U>, options: MetadataWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(resource: Resource<U>, options?: WholeObjectWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(
    resource: Resource<U>,
    { matchEveryOwner = false, ...options }: WatchOptions<U> & OwnsOptions = {},
  ): this {
    const toOwnerRequests = enqueueRequestForOwner(this.#resource, { onlyController: !matchEveryOwner });
    this.#manager.addRules([createOwnerRule(this.#resource)]);
    return this.#watchKind(resource, toOwnerRequests, {
      deletionShortensBackOff: true,
      verbs: ['create', 'patch'],
      ...options,
    });
  }

  /** Watches another kind. A change of an object reconciles the objects that `toRequests` returns. */
  watches<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<PartialObjectMetadata<U>, NoInfer<T>>,
    options: MetadataWatchOptions<U>,
  ): this;
  watches<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    options?: WholeObjectWatchOptions<U>,
  ): this;
  watches<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    options?: WatchOptions<U>,
  ): this {
    return this.#watchKind(resource, toRequests, options);
  }

  /** Reconciles the objects that `source` emits. */
  watchesChannel(source: ChannelSource<T>): this {
    this.#addSourceFunctions.push((controller) => controller.watchChannel(source));
    return this;
  }

  /**
   * Adds a clean-up that runs before an object is deleted, for example to delete resources outside the cluster or in a
   * different namespace. The controller adds the finalizer `name`, such as `example.com/website`, to every object
   * before the first {@link reconcile}. After a delete request, the controller calls `cleanUp` until it succeeds, and
   * then removes the finalizer. Clean-ups run in the order in which you add them.
   */
  finalizer(name: FinalizerName, cleanUp: Finalizer<T>): this {
    if (this.#finalizers.has(name))
      throw new Error(`controller ${this.#name}: finalizer ${name} is registered already`);
    this.#finalizers.set(name, cleanUp);
    this.#manager.addRules([createWatchRule(this.#resource, ['patch'])]);
    return this;
  }

  /**
   * Sets the function that reports the error of a failed reconcile, for example in the status of the object. The controller calls the
   * function after each reconcile that throws, returns `error` or exceeds its timeout. Errors of finalizers are included, and conflicts
   * are not. The retry and its back-off do not change, and the events of status writes in a failed reconcile do not start a reconcile.
   */
  onError(handleError: ErrorHandler<T>): this {
    if (this.#errorHandler !== undefined) throw new Error(`controller ${this.#name}: onError is set already`);
    this.#errorHandler = handleError;
    return this;
  }

  /** Adds a predicate to all watches of this controller, including watches that you add later. */
  withEventFilter(predicate: Predicate<KubernetesObject>): this {
    this.#eventFilters.push(predicate);
    return this;
  }

  /** Sets the options of the controller. A second call replaces the options of the first call. */
  withOptions(options: BuilderOptions): this {
    this.#options = options;
    return this;
  }

  /**
   * Builds the controller and adds it to the manager. The manager runs the controller while the manager is the leader.
   * `reconcile` receives an object from the cache. The controller does not call `reconcile` for objects that are
   * deleted or being deleted.
   */
  reconcile(reconcile: ReconcileFunction<T>): Controller<T> {
    const { client, apiReader, clock, abortSignal } = this.#manager;
    const recorder = this.#manager.recorderFor(`${this.#name}-controller`);
    return this.#buildController(
      new ObjectReconciler({
        resource: this.#resource,
        ...{ client, apiReader, clock, recorder, abortSignal },
        statusWrites: this.#statusWrites,
        finalizers: this.#finalizers,
        readMetadata: this.#readMetadata,
        reconcile,
        onError: this.#errorHandler,
      }),
    );
  }

  /**
   * Builds the controller like {@link reconcile}, but with a reconciler that receives only the key of an object. The
   * controller also calls this reconciler for deleted objects.
   */
  complete(reconciler: Reconciler<T>): Controller<T> {
    if (this.#finalizers.size > 0 || this.#errorHandler !== undefined)
      throw new Error(`controller ${this.#name}: finalizers and onError need reconcile(), not complete()`);
    return this.#buildController(reconciler);
  }

  #watchKind<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    { predicates, priority, deletionShortensBackOff, verbs, ...scope }: WatchOptions<U> = {},
  ): this {
    this.#manager.addRules([createWatchRule(resource, verbs)]);
    // With `metadataOnly`, the overloads ensure that predicates and mappers read only metadata.
    const informer = this.#manager.cache.informerFor(
      resource,
      scope as InformerScope & { readonly metadataOnly?: false },
    );
    this.#watch(informer, toRequests, { predicates, priority, deletionShortensBackOff });
    return this;
  }

  #watch<U extends KubernetesObject>(
    informer: Informer<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    { predicates = [], ...options }: SourceOptions<U> & { readonly statusWrites?: StatusWrites },
  ): void {
    this.#addSourceFunctions.push((controller) =>
      controller.watch(informer, toRequests, { predicates: [...this.#eventFilters, ...predicates], ...options }),
    );
  }

  #buildController(reconciler: Reconciler<T>): Controller<T> {
    const { clock, log, metrics, abortSignal, cluster, controllerDefaults: defaults } = this.#manager;
    const rateLimits = this.#options.rateLimits ?? defaults.rateLimits;
    const controller = new Controller({
      name: this.#name,
      reconciler,
      ...{ clock, log, abortSignal, cluster },
      isDeselected: ({ namespace }) => this.#informer.isDeselected(namespace),
      metrics: metrics.queue(this.#name),
      reconcileMetrics: metrics.reconcile(this.#name),
      maxConcurrentReconciles: this.#options.maxConcurrentReconciles ?? defaults.maxConcurrentReconciles,
      reconcileTimeoutMs: this.#options.reconcileTimeoutMs ?? defaults.reconcileTimeoutMs,
      ...(rateLimits && { rateLimits }),
    });
    for (const addSource of this.#addSourceFunctions) addSource(controller);
    this.#manager.addController(controller);
    return controller;
  }
}
