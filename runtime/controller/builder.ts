import type { Cache, InformerScope } from '../cache/cache.ts';
import type { Informer } from '../cache/informer.ts';
import type { PartialObjectMetadata } from '../cache/partial-object.ts';
import type { CachedReader, LiveReader, Writer } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { RateLimits } from '../workqueue/rate-limiter.ts';
import type { ChannelSource } from './channel-source.ts';
import { Controller, type SourceOptions } from './controller.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './handler.ts';
import { type Finalizer, type FinalizerName, ObjectReconciler, type ReconcileObject } from './object-reconciler.ts';
import type { Predicate } from './predicate.ts';
import type { Reconciler } from './reconcile.ts';
import type { ControllerMetrics } from './reconcile-metrics.ts';

export interface BuilderOptions {
  /** Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  readonly rateLimits?: RateLimits;
}

/** Which objects of a kind a controller watches, and which of their events trigger a reconcile. */
export interface WatchOptions<T> extends InformerScope, SourceOptions<T> {}

/** {@link WatchOptions} of a kind that is watched as metadata only: predicates and mappers get no spec. */
export type MetadataWatchOptions<T extends KubernetesObject> = WatchOptions<PartialObjectMetadata<T>> & {
  readonly metadataOnly: true;
};

export interface OwnsOptions {
  /** A change reconciles every owner of the kind. Default false: only the owner that controls the object. */
  readonly matchEveryOwner?: boolean;
}

type WholeWatchOptions<T> = WatchOptions<T> & { readonly metadataOnly?: false };

/** What a controller uses of its manager. */
export interface ControllerHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly cache: Cache;
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly abortSignal: AbortSignal;
  readonly syncPeriodMs: number;
  recorderFor(component: string): EventRecorder;
  addController(controller: { start(signal: AbortSignal): Promise<void> }): void;
}

/** A controller with a name for logs and metrics. Call {@link for} to set the kind to reconcile. */
export class NamedController {
  readonly #manager: ControllerHost;
  readonly #name: string;

  constructor(manager: ControllerHost, name: string) {
    this.#manager = manager;
    this.#name = name;
  }

  /** Sets the kind to reconcile. The controller also resyncs its objects once per sync period. */
  for<T extends KubernetesObject>(resource: Resource<T>, options: WholeWatchOptions<T> = {}): ControllerBuilder<T> {
    return new ControllerBuilder(this.#manager, this.#name, resource, options);
  }
}

/**
 * Describes a controller of objects `T`: what it watches and what it does. {@link reconcile} or {@link complete} builds
 * it and adds it to the manager.
 */
export class ControllerBuilder<T extends KubernetesObject> {
  readonly #manager: ControllerHost;
  readonly #name: string;
  readonly #resource: Resource<T>;
  readonly #sources: ((controller: Controller<T>) => void)[] = [];
  readonly #finalizers = new Map<FinalizerName, Finalizer<T>>();
  readonly #filters: Predicate<KubernetesObject>[] = [];
  #options: BuilderOptions = {};

  constructor(manager: ControllerHost, name: string, resource: Resource<T>, options: WholeWatchOptions<T>) {
    this.#manager = manager;
    this.#name = name;
    this.#resource = resource;
    const { predicates, priority, deletionShortensBackOff, ...scope } = options;
    const informer = manager.cache.informerFor(resource, scope);
    this.#watch(informer, enqueueRequestForObject, { predicates, priority, deletionShortensBackOff });
    this.#sources.push((controller) => controller.resync(informer, manager.syncPeriodMs));
  }

  /** Watches a kind whose objects the primary objects create: a change of one reconciles its controller owner. */
  owns<U extends KubernetesObject>(resource: Resource<U>, options: MetadataWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(resource: Resource<U>, options?: WholeWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(
    resource: Resource<U>,
    { matchEveryOwner = false, ...options }: WatchOptions<U> & OwnsOptions = {},
  ): this {
    const toOwners = enqueueRequestForOwner(this.#resource, { onlyController: !matchEveryOwner });
    return this.#watchKind(resource, toOwners, { deletionShortensBackOff: true, ...options });
  }

  /** Watches any other kind; maps a change of one of its objects to the objects to reconcile. */
  watches<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<PartialObjectMetadata<U>, NoInfer<T>>,
    options: MetadataWatchOptions<U>,
  ): this;
  watches<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    options?: WholeWatchOptions<U>,
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
    this.#sources.push((controller) => controller.watchChannel(source));
    return this;
  }

  /**
   * Adds a clean-up outside the cluster, or in other namespaces, before an object is deleted. The controller sets the
   * finalizer `name`, such as `example.com/website`, on every object before it first calls {@link reconcile}. After a
   * delete request, it calls `cleanUp` instead, and repeats it until it succeeds; then it removes the finalizer.
   * Several clean-ups run in the order of these calls.
   */
  finalizer(name: FinalizerName, cleanUp: Finalizer<T>): this {
    if (this.#finalizers.has(name))
      throw new Error(`controller ${this.#name}: finalizer ${name} is registered already`);
    this.#finalizers.set(name, cleanUp);
    return this;
  }

  /** Every event must also pass `predicate`, whether its kind is watched before or after this call. */
  withEventFilter(predicate: Predicate<KubernetesObject>): this {
    this.#filters.push(predicate);
    return this;
  }

  withOptions(options: BuilderOptions): this {
    this.#options = options;
    return this;
  }

  /**
   * Builds the controller and adds it to the manager, which runs it while it leads. `reconcile` gets an object from the
   * cache. The controller does not call it for an object that is gone or being deleted.
   */
  reconcile(reconcile: ReconcileObject<T>): Controller<T> {
    const { client, apiReader, clock } = this.#manager;
    const recorder = this.#manager.recorderFor(`${this.#name}-controller`);
    const parts = { resource: this.#resource, client, apiReader, clock, recorder };
    return this.#build(new ObjectReconciler({ ...parts, finalizers: this.#finalizers, reconcile }));
  }

  /**
   * Like {@link reconcile}, for a reconciler that needs only the key of an object, or has to know when an object is
   * gone.
   */
  complete(reconciler: Reconciler<T>): Controller<T> {
    if (this.#finalizers.size > 0)
      throw new Error(`controller ${this.#name}: finalizers need reconcile(), not complete()`);
    return this.#build(reconciler);
  }

  #watchKind<U extends KubernetesObject>(
    resource: Resource<U>,
    toRequests: MapToRequests<U, NoInfer<T>>,
    { predicates, priority, deletionShortensBackOff, ...scope }: WatchOptions<U> = {},
  ): this {
    // With `metadataOnly`, the overloads ensure that no code reads more than metadata.
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
    { predicates = [], ...options }: SourceOptions<U>,
  ): void {
    this.#sources.push((controller) =>
      controller.watch(informer, toRequests, { predicates: [...this.#filters, ...predicates], ...options }),
    );
  }

  #build(reconciler: Reconciler<T>): Controller<T> {
    const { clock, log, metrics, abortSignal } = this.#manager;
    const controller = new Controller({
      name: this.#name,
      reconciler,
      clock,
      log,
      abortSignal,
      metrics: metrics.queue(this.#name),
      reconcileMetrics: metrics.reconcile(this.#name),
      ...this.#options,
    });
    for (const addTo of this.#sources) addTo(controller);
    this.#manager.addController(controller);
    return controller;
  }
}
