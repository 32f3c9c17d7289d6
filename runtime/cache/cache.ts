/** One informer per kind, started together, and a Reader over them. */
import type { CachedListOptions, CachedReader } from '../client/client.ts';
import { ParsedLabelSelector } from '../client/label-selector.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatGroupVersionResource, formatKey, type ObjectKey, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { CacheScope } from './cache-scope.ts';
import { CachedKind, type CachedKindConfiguration } from './cached-kind.ts';
import type { Informer } from './informer.ts';
import type { PartialObjectMetadata } from './partial-object.ts';
import { MAX_SILENCE_MS } from './reflector.ts';
import type { IndexFunction } from './store.ts';

export interface CacheOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Namespaces to mirror; all of the cluster when absent. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A {@link CacheScope}, and the form in which the cache holds the kind. */
export interface InformerScope extends CacheScope {
  /**
   * Requests and holds metadata only: far less memory and traffic for kinds whose content no reader needs. Default
   * false.
   */
  readonly metadataOnly?: boolean;
}

/**
 * The health check fails when a watch is silent longer than this: the reflector's own bound plus the time to open a new
 * watch.
 */
export const MAX_HEALTHY_SILENCE_MS = MAX_SILENCE_MS + 30_000;

/**
 * Each kind has one informer of whole objects and one of metadata only; all callers share them. Setup fails with an
 * error when two callers request different scopes.
 */
export class Cache implements CachedReader {
  readonly #options: CacheOptions;
  readonly #kinds = new Map<string, AnyCachedKind>();
  #running: { readonly signal: AbortSignal; readonly informers: Promise<void>[] } | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /**
   * Sets what the cache holds of a kind's whole objects, once, before the cache starts. Throws when the cache has
   * started, when an option is set twice, or when two scopes are requested.
   */
  configure<T extends KubernetesObject>(resource: Resource<T>, options: CachedKindConfiguration<T>): void {
    this.#getOrCreateKind(resource).configure(options);
  }

  /**
   * Returns the informer of a kind. The first call creates it, and the cache starts it. Throws when the informer has
   * another scope than `scope`. Without `scope`, returns the existing informer: of all objects, unless another caller
   * narrows it.
   */
  informerFor<T extends KubernetesObject>(
    resource: Resource<T>,
    scope: InformerScope & { readonly metadataOnly: true },
  ): Informer<PartialObjectMetadata<T>>;
  informerFor<T extends KubernetesObject>(
    resource: Resource<T>,
    scope?: InformerScope & { readonly metadataOnly?: false },
  ): Informer<T>;
  informerFor<T extends KubernetesObject>(resource: Resource<T>, scope?: InformerScope): Informer<T> {
    const { metadataOnly = false, ...requested } = scope ?? {};
    if (scope) this.#getOrCreateKind(resource, metadataOnly).requestScope(requested);
    return this.#informer(resource, metadataOnly);
  }

  /** Whether the kind has an informer of whole objects. */
  has(resource: Resource): boolean {
    return this.#kinds.get(formatGroupVersionResource(resource))?.hasInformer ?? false;
  }

  /** Adds a field index for {@link list}, before or after objects arrive. */
  indexField<T extends KubernetesObject>(resource: Resource<T>, name: string, extractValues: IndexFunction<T>): void {
    this.informerFor(resource).addIndex(name, extractValues);
  }

  /**
   * Returns the object, or `undefined` when the cache does not have it. Creates the informer if it does not exist, and
   * waits until it has read all objects.
   */
  async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    const informer = await this.#waitUntilSynced(this.#informer(resource));
    return informer.store.get(formatKey(key));
  }

  /** Lists objects from the cache. Creates the informer and waits as {@link get} does. */
  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: CachedListOptions<NoInfer<T>> = {},
  ): Promise<readonly T[]> {
    const informer = await this.#waitUntilSynced(this.#informer(resource));
    return selectObjects(informer, options);
  }

  /** Like {@link get}, from the metadata-only informer. */
  async getMetadata<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
  ): Promise<PartialObjectMetadata<T> | undefined> {
    const informer = await this.#waitUntilSynced(this.#informer<PartialObjectMetadata<T>>(resource, true));
    return informer.store.get(formatKey(key));
  }

  /** Like {@link list}, from the metadata-only informer. */
  async listMetadata<T extends KubernetesObject>(
    resource: Resource<T>,
    options: CachedListOptions<NoInfer<T>> = {},
  ): Promise<readonly PartialObjectMetadata<T>[]> {
    const informer = await this.#waitUntilSynced(this.#informer<PartialObjectMetadata<T>>(resource, true));
    return selectObjects(informer, options);
  }

  /** Runs every informer until `signal` aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const informers = this.#kindsWithInformer().map((kind) => kind.run(signal));
    this.#running = { signal, informers };
    await aborted(signal);
    await Promise.all(informers);
  }

  get hasSynced(): boolean {
    return this.#kindsWithInformer().every(({ informer }) => informer.hasSynced);
  }

  /**
   * Resolves to true when every informer that exists now has all its objects, or to false when `signal` aborts first.
   */
  async waitForSync(signal: AbortSignal): Promise<boolean> {
    const informers = this.#kindsWithInformer().map(({ informer }) => informer);
    await Promise.race([Promise.all(informers.map((informer) => informer.synced)), aborted(signal)]);
    return informers.every((informer) => informer.hasSynced);
  }

  /** Health check: `undefined` when every informer has synced and receives from its server, else the reason. */
  readonly check = (): string | undefined => {
    for (const { informer } of this.#kindsWithInformer()) {
      const { resource, hasSynced, silenceMs } = informer;
      if (!hasSynced) return `informer of ${resource.plural} has not synced`;
      if (silenceMs > MAX_HEALTHY_SILENCE_MS) {
        return `watch of ${resource.plural} has been silent for ${Math.round(silenceMs / 1000)} s`;
      }
    }
    return undefined;
  };

  #getOrCreateKind<T extends KubernetesObject>(resource: Resource<T>, metadataOnly = false): CachedKind<T> {
    const id = metadataOnly ? `${formatGroupVersionResource(resource)} metadata` : formatGroupVersionResource(resource);
    const existing = this.#kinds.get(id) as CachedKind<T> | undefined; // stored under its resource, whose objects are T
    if (existing) return existing;
    const kind = new CachedKind({ ...this.#options, resource, metadataOnly });
    this.#kinds.set(id, kind);
    return kind;
  }

  #kindsWithInformer(): readonly AnyCachedKind[] {
    return [...this.#kinds.values()].filter((kind) => kind.hasInformer);
  }

  /** The existing informer, with any scope. */
  #informer<T extends KubernetesObject>(resource: Resource<T>, metadataOnly = false): Informer<T> {
    const kind = this.#getOrCreateKind(resource, metadataOnly);
    if (!kind.isRunning && this.#running) this.#running.informers.push(kind.run(this.#running.signal));
    return kind.informer;
  }

  /** Does not wait for a cache that has not started. */
  async #waitUntilSynced<T extends KubernetesObject>(informer: Informer<T>): Promise<Informer<T>> {
    if (!informer.hasSynced && this.#running) await Promise.race([informer.synced, aborted(this.#running.signal)]);
    return informer;
  }
}

/** The calls of the cache that do not depend on the type of a kind. */
type AnyCachedKind = Pick<CachedKind<KubernetesObject>, 'hasInformer' | 'run'> & {
  readonly informer: Pick<Informer<KubernetesObject>, 'resource' | 'hasSynced' | 'synced' | 'silenceMs'>;
};

function selectObjects<T extends KubernetesObject>(
  { store }: Pick<Informer<T>, 'store'>,
  { namespace, labelSelector, index, fieldSelector }: CachedListOptions,
): readonly T[] {
  if (fieldSelector !== undefined) throw new TypeError('list: the cache has no field selectors; add an index');
  const labels = labelSelector === undefined ? undefined : new ParsedLabelSelector(labelSelector);
  const objects = index ? store.byIndex(index.name, index.value) : store.list();
  if (namespace === undefined && labels === undefined) return objects;
  return objects.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) && (labels?.matches(metadata.labels) ?? true),
  );
}
