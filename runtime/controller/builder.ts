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

/** Which objects of a kind are watched, and which of their events reconcile anything. */
export interface WatchOptions<T> extends InformerScope, SourceOptions<T> {}

/** {@link WatchOptions} of a kind whose metadata alone is watched: predicates and mappers get no spec to look at. */
export type MetadataWatchOptions<T extends KubernetesObject> = WatchOptions<PartialObjectMetadata<T>> & {
  readonly metadataOnly: true;
};

export interface OwnsOptions {
  /** A change reconciles every owner of the kind. Default false: only the one that controls the object. */
  readonly matchEveryOwner?: boolean;
}

type WholeWatchOptions<T> = WatchOptions<T> & { readonly metadataOnly?: false };

/** What a controller takes of its manager. */
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

/** A controller that has a name, in logs and metrics, and has to be told what to reconcile. */
export class NamedController {
  readonly #manager: ControllerHost;
  readonly #name: string;

  constructor(manager: ControllerHost, name: string) {
    this.#manager = manager;
    this.#name = name;
  }

  /** The kind to reconcile. Its objects are also resynced once per sync period. */
  for<T extends KubernetesObject>(resource: Resource<T>, options: WholeWatchOptions<T> = {}): ControllerBuilder<T> {
    return new ControllerBuilder(this.#manager, this.#name, resource, options);
  }
}

/**
 * Describes a controller of objects `T`: what it watches, and what it does. {@link reconcile} or {@link complete} builds it and adds
 * it to the manager.
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

  /** A kind whose objects the primary ones create: a change of one reconciles its controller owner. */
  owns<U extends KubernetesObject>(resource: Resource<U>, options: MetadataWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(resource: Resource<U>, options?: WholeWatchOptions<U> & OwnsOptions): this;
  owns<U extends KubernetesObject>(
    resource: Resource<U>,
    { matchEveryOwner = false, ...options }: WatchOptions<U> & OwnsOptions = {},
  ): this {
    const toOwners = enqueueRequestForOwner(this.#resource, { onlyController: !matchEveryOwner });
    return this.#watchKind(resource, toOwners, { deletionShortensBackOff: true, ...options });
  }

  /** Any other kind, and what to reconcile when one of its objects changes. */
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

  /** Reconciles what `source` emits. */
  watchesChannel(source: ChannelSource<T>): this {
    this.#sources.push((controller) => controller.watchChannel(source));
    return this;
  }

  /**
   * Cleans up outside the cluster, or in other namespaces, before an object may go. The finalizer `name`, such as
   * `example.com/website`, is on every object before {@link reconcile} is first called for it. When deletion is asked for, `cleanUp` runs
   * instead of that, and again until it succeeds; then the finalizer is taken off. Several clean up in the order of these calls.
   */
  finalizer(name: FinalizerName, cleanUp: Finalizer<T>): this {
    if (this.#finalizers.has(name))
      throw new Error(`controller ${this.#name}: finalizer ${name} is registered already`);
    this.#finalizers.set(name, cleanUp);
    return this;
  }

  /** An event of any kind that is watched has to pass `predicate` as well, whether it is watched before or after this call. */
  withEventFilter(predicate: Predicate<KubernetesObject>): this {
    this.#filters.push(predicate);
    return this;
  }

  withOptions(options: BuilderOptions): this {
    this.#options = options;
    return this;
  }

  /**
   * Builds the controller and adds it to the manager, which runs it while it leads. `reconcile` gets an object from the cache. It is not
   * called for one that is gone or being deleted.
   */
  reconcile(reconcile: ReconcileObject<T>): Controller<T> {
    const { client, apiReader, clock } = this.#manager;
    const recorder = this.#manager.recorderFor(`${this.#name}-controller`);
    const parts = { resource: this.#resource, client, apiReader, clock, recorder };
    return this.#build(new ObjectReconciler({ ...parts, finalizers: this.#finalizers, reconcile }));
  }

  /** As {@link reconcile}, for what needs no more than the key of an object, or has to know that one is gone. */
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
    // With `metadataOnly`, the overloads see to it that nobody looks at more than metadata.
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
