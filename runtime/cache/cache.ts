import type { CachedListOptions, CachedReader } from '../client/client.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatGroupVersionResource, formatKey, type ObjectKey, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { CacheScope } from './cache-scope.ts';
import { CachedKind, type CachedKindConfiguration } from './cached-kind.ts';
import type { Informer } from './informer.ts';
import type { PartialObjectMetadata } from './partial-object.ts';
import { MAX_WATCH_SILENCE_MS } from './reflector.ts';
import { type NamespaceSelector, SelectedNamespaces } from './selected-namespaces.ts';
import { type IndexFunction, selectObjects } from './store.ts';

export interface CacheOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Namespaces to cache, as names or as a label selector. Default: all namespaces. */
  readonly namespaces?: readonly string[] | NamespaceSelector | undefined;
}

interface SyncTimeLimit {
  /** Time limit in milliseconds. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly onTimeout?: (error: Error) => void;
}

/** A {@link CacheScope} that also determines whether the cache stores whole objects or only metadata. */
export interface InformerScope extends CacheScope {
  /** Requests and caches only the metadata of objects, to save memory and traffic. Default false. */
  readonly metadataOnly?: boolean;
}

/**
 * The health check fails if a watch receives no data for this long. The reflector replaces a watch without data after
 * {@link MAX_WATCH_SILENCE_MS} and then has 30 s to open a new watch.
 */
export const MAX_HEALTHY_WATCH_SILENCE_MS = MAX_WATCH_SILENCE_MS + 30_000;

/**
 * Caches objects in one informer per kind. If callers request only the metadata of a kind, a second informer stores the
 * metadata. All callers that read a kind share its informers, so the callers must request the same scope.
 */
export class Cache implements CachedReader {
  readonly #options: CacheOptions;
  readonly #selectedNamespaces: SelectedNamespaces | undefined;
  readonly #kinds = new Map<string, AnyCachedKind>();
  #activeRun: { readonly signal: AbortSignal; readonly informerRuns: Promise<void>[] } | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    const { namespaces } = options;
    this.#selectedNamespaces = isNamespaceSelector(namespaces)
      ? new SelectedNamespaces(namespaces, options)
      : undefined;
  }

  /**
   * Sets the scope and the transform of a kind's informer before the cache starts. The configuration does not affect
   * the informer that stores only metadata. Throws if the cache has started, if an option is already set, or if callers
   * requested different scopes.
   */
  configure<T extends KubernetesObject>(resource: Resource<T>, options: CachedKindConfiguration<T>): void {
    this.#getOrCreateKind(resource).configure(options);
  }

  /**
   * Returns the informer of a kind, and creates it at the first call. Throws if the scope of the informer differs from
   * `scope`. Without `scope`, returns the informer with its current scope. The default scope contains all objects.
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
    const { metadataOnly = false, ...requestedScope } = scope ?? {};
    if (scope) this.#getOrCreateKind(resource, metadataOnly).requestScope(requestedScope);
    return this.#getInformer(resource, metadataOnly);
  }

  /** Whether the cache has an informer that stores whole objects of the kind, not only their metadata. */
  has(resource: Resource): boolean {
    return this.#kinds.get(formatGroupVersionResource(resource))?.hasInformer ?? false;
  }

  /** The kinds that have an informer. */
  get resources(): readonly Resource[] {
    return this.#kindsWithInformer().map(({ informer }) => informer.resource);
  }

  /** Adds a field index for {@link list}. The index also contains the objects that are already in the cache. */
  indexField<T extends KubernetesObject>(resource: Resource<T>, name: string, extractValues: IndexFunction<T>): void {
    this.informerFor(resource).addIndex(name, extractValues);
  }

  /** Returns the object, or `undefined` if the cache does not contain it. Waits until the informer has synced. */
  async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    const informer = await this.#waitUntilSynced(this.#getInformer(resource));
    return informer.store.get(formatKey(key));
  }

  /** Lists the objects in the cache. Waits until the informer has synced. */
  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: CachedListOptions<NoInfer<T>> = {},
  ): Promise<readonly T[]> {
    const informer = await this.#waitUntilSynced(this.#getInformer(resource));
    return selectObjects(informer.store, options);
  }

  /** Like {@link get}, but returns only the metadata of the object. */
  async getMetadata<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
  ): Promise<PartialObjectMetadata<T> | undefined> {
    const informer = await this.#waitUntilSynced(this.#getInformer<PartialObjectMetadata<T>>(resource, true));
    return informer.store.get(formatKey(key));
  }

  /** Like {@link list}, but returns only the metadata of the objects. */
  async listMetadata<T extends KubernetesObject>(
    resource: Resource<T>,
    options: CachedListOptions<NoInfer<T>> = {},
  ): Promise<readonly PartialObjectMetadata<T>[]> {
    const informer = await this.#waitUntilSynced(this.#getInformer<PartialObjectMetadata<T>>(resource, true));
    return selectObjects(informer.store, options);
  }

  async start(signal: AbortSignal): Promise<void> {
    const informerRuns = this.#kindsWithInformer().map((kind) => kind.run(signal));
    if (this.#selectedNamespaces) informerRuns.push(this.#selectedNamespaces.informer.run(signal));
    this.#activeRun = { signal, informerRuns };
    await aborted(signal);
    await Promise.all(informerRuns);
  }

  get hasSynced(): boolean {
    return this.#kindsWithInformer().every(({ informer }) => informer.hasSynced);
  }

  /**
   * Resolves to true when all existing informers have synced, or to false when `signal` aborts. After the time limit, calls
   * `onTimeout` with an error that contains the reason, and continues to wait.
   */
  async waitForSync(signal: AbortSignal, { timeoutMs, onTimeout }: SyncTimeLimit = {}): Promise<boolean> {
    const informers = this.#kindsWithInformer().map(({ informer }) => informer);
    const handleTimeout = () =>
      onTimeout?.(new Error(`caches have not synced within ${timeoutMs} ms: ${this.check() ?? ''}`));
    const cancelTimeout = timeoutMs === undefined ? undefined : this.#options.clock.schedule(timeoutMs, handleTimeout);
    await Promise.race([Promise.all(informers.map((informer) => informer.synced)), aborted(signal)]);
    cancelTimeout?.();
    return informers.every((informer) => informer.hasSynced);
  }

  /**
   * Returns `undefined` if every informer has synced and receives data, or the reason for a failure. Kinds in
   * `converted` need not have synced.
   */
  check(converted: readonly Resource[] = []): string | undefined {
    const namespaceInformers = this.#selectedNamespaces ? [this.#selectedNamespaces] : [];
    for (const { informer } of [...namespaceInformers, ...this.#kindsWithInformer()]) {
      const { resource, hasSynced, silenceMs } = informer;
      if (!hasSynced) {
        if (converted.some(({ group, kind }) => group === resource.group && kind === resource.kind)) continue;
        return `informer of ${resource.plural} has not synced`;
      }
      if (silenceMs > MAX_HEALTHY_WATCH_SILENCE_MS) {
        return `watch of ${resource.plural} has been silent for ${Math.round(silenceMs / 1000)} s`;
      }
    }
    return undefined;
  }

  #getOrCreateKind<T extends KubernetesObject>(resource: Resource<T>, metadataOnly = false): CachedKind<T> {
    const id = metadataOnly ? `${formatGroupVersionResource(resource)} metadata` : formatGroupVersionResource(resource);
    const existingKind = this.#kinds.get(id) as CachedKind<T> | undefined; // the resource determines T
    if (existingKind) return existingKind;
    const { namespaces, ...options } = this.#options;
    const kind = new CachedKind({
      ...options,
      ...(!isNamespaceSelector(namespaces) && { namespaces }),
      selectedNamespaces: this.#selectedNamespaces,
      resource,
      metadataOnly,
    });
    this.#kinds.set(id, kind);
    return kind;
  }

  #kindsWithInformer(): readonly AnyCachedKind[] {
    return [...this.#kinds.values()].filter((kind) => kind.hasInformer);
  }

  #getInformer<T extends KubernetesObject>(resource: Resource<T>, metadataOnly = false): Informer<T> {
    const kind = this.#getOrCreateKind(resource, metadataOnly);
    if (!kind.isRunning && this.#activeRun) this.#activeRun.informerRuns.push(kind.run(this.#activeRun.signal));
    return kind.informer;
  }

  async #waitUntilSynced<T extends KubernetesObject>(informer: Informer<T>): Promise<Informer<T>> {
    if (!informer.hasSynced && this.#activeRun) await Promise.race([informer.synced, aborted(this.#activeRun.signal)]);
    return informer;
  }
}

type AnyCachedKind = Pick<CachedKind<KubernetesObject>, 'hasInformer' | 'run'> & {
  readonly informer: Pick<Informer<KubernetesObject>, 'resource' | 'hasSynced' | 'synced' | 'silenceMs'>;
};

function isNamespaceSelector(namespaces: CacheOptions['namespaces']): namespaces is NamespaceSelector {
  return namespaces !== undefined && 'labelSelector' in namespaces;
}
