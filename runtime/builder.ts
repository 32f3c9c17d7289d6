import type { KubernetesObject, Resource } from './client/object.ts';
import { Controller } from './controller.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './handler.ts';
import type { Manager } from './manager/manager.ts';
import type { Predicate } from './predicate.ts';
import type { Reconciler } from './reconcile.ts';
import type { RateLimits } from './workqueue/rate-limiter.ts';

export interface BuilderOptions {
  /** Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  readonly rateLimits?: RateLimits;
}

/** Starts the description of a controller that `manager` will run. */
export function controllerManagedBy(manager: Manager): Pick<ControllerBuilder, 'named'> {
  return new ControllerBuilder(manager);
}

/**
 * Describes a controller: its name, the kind it reconciles, the kinds it owns. {@link complete} builds it and adds it to
 * the manager.
 */
export class ControllerBuilder {
  readonly #manager: Manager;
  readonly #sources: ((controller: Controller) => void)[] = [];
  #name = '';
  #primary: Resource | undefined;
  #options: BuilderOptions = {};

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  /** The controller's name in logs and metrics. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /** The kind to reconcile. Its objects are also resynced once per sync period. */
  for<T extends KubernetesObject>(resource: Resource<T>, ...predicates: readonly Predicate<T>[]): this {
    this.#primary = resource;
    const { syncPeriodMs } = this.#manager;
    this.#sources.push((controller) => controller.resync(this.#manager.cache.informerFor(resource), syncPeriodMs));
    return this.watches(resource, enqueueRequestForObject, ...predicates);
  }

  /** A kind whose objects the primary ones create: a change of one reconciles its controller owner. */
  owns<T extends KubernetesObject>(resource: Resource<T>, ...predicates: readonly Predicate<T>[]): this {
    if (!this.#primary) throw new Error('builder: call for() before owns()');
    return this.watches(resource, enqueueRequestForOwner(this.#primary, { onlyController: true }), ...predicates);
  }

  /** Any other kind, with the objects that a change of one of its objects concerns. */
  watches<T extends KubernetesObject>(
    resource: Resource<T>,
    toRequests: MapToRequests<T>,
    ...predicates: readonly Predicate<T>[]
  ): this {
    const informer = this.#manager.cache.informerFor(resource);
    this.#sources.push((controller) => controller.watch(informer, toRequests, predicates));
    return this;
  }

  withOptions(options: BuilderOptions): this {
    this.#options = options;
    return this;
  }

  /** Builds the controller and adds it to the manager, which runs it while it leads. */
  complete(reconciler: Reconciler): Controller {
    if (!this.#primary) throw new Error('builder: call for() before complete()');
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
