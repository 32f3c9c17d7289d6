import { ParsedLabelSelector } from '../client/label-selector.ts';
import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { forEachYielding } from '../clock/yielding-loop.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { CacheScope } from './cache-scope.ts';
import type { EventHandler } from './event-handler.ts';
import { type NamespaceListener, NamespaceReflectors, type NamespaceSource } from './namespace-reflectors.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import { type IndexFunction, Store } from './store.ts';

/**
 * Converts an incoming object to the form that the cache stores. If the transform throws, or changes the name or the
 * resource version, the cache stores the incoming object.
 * @param cachedObject The cached object with the name of the incoming object, usually an earlier version. The result
 * may share unchanged fields with `cachedObject`.
 */
export type Transform<T> = (object: T, cachedObject: T | undefined) => T;

/** Selects and transforms the objects of an informer. */
interface InformerConfiguration<T> {
  /** Default: all objects. */
  readonly scope?: CacheScope;
  /** Default: the transform removes `managedFields`. */
  readonly transform?: Transform<T> | undefined;
  /** Whether the informer counts as synced if the first list request fails with 403 or 404. Default false. */
  readonly optional?: boolean | undefined;
}

export interface InformerOptions<T extends KubernetesObject> extends InformerConfiguration<T> {
  readonly resource: Resource<T>;
  /** The namespaces of a namespaced kind. The namespaces in the scope take precedence. Default: all namespaces. */
  readonly selectedNamespaces?: NamespaceSource | undefined;
  /** Requests only the metadata of objects. If true, `T` must have no spec and no status. */
  readonly metadataOnly?: boolean;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

interface HandlerRegistration<T> {
  readonly handler: EventHandler<T>;
  /**
   * Keys of the objects for which `onAdd` was called; `undefined` after the handler has received all objects. While the
   * set is defined, the handler receives updates and deletions only of objects whose keys the set contains.
   */
  notifiedKeys: Set<string> | undefined;
}

/** Caches the objects of a kind, indexes them, and notifies handlers of changes. */
export class Informer<T extends KubernetesObject> {
  /** The kind of the cached objects. */
  readonly resource: Resource<T>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #registrations: HandlerRegistration<T>[] = [];
  readonly #log: Logger;
  readonly #syncResolvers = Promise.withResolvers<void>();
  #configuration: InformerConfiguration<T>;
  readonly #reflectors = new NamespaceReflectors<T>((...args) => this.#createReflector(...args));
  /**
   * Namespaces with objects that the informer has not read yet; `undefined` before {@link run}. The element `undefined`
   * means all namespaces.
   */
  #unsyncedNamespaces: Set<string | undefined> | undefined;

  constructor(options: InformerOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
    this.#configuration = options;
    this.#log = options.log.with({ resource: options.resource.plural });
    this.#store = new Store((error, location) =>
      this.#log.error('index function failed, object is missing from the index', error, location),
    );
  }

  /** The cached objects. All callers share the objects, so do not change them. */
  get store(): Pick<Store<T>, 'get' | 'list' | 'keys' | 'byIndex' | 'size' | 'indexes'> {
    return this.#store;
  }

  /** Whether the informer has read all objects once and has notified its handlers. Then the value stays true. */
  get hasSynced(): boolean {
    return this.#unsyncedNamespaces?.size === 0;
  }

  /** Resolves when {@link hasSynced} becomes true. */
  get synced(): Promise<void> {
    return this.#syncResolvers.promise;
  }

  /** The longest time since a watch of this informer received data, in milliseconds. */
  get silenceMs(): number {
    return this.#reflectors.silenceMs;
  }

  /** Replaces the options of the constructor. Must be called before {@link run}. */
  configure(configuration: InformerConfiguration<T>): void {
    this.#configuration = configuration;
  }

  /** Adds a field index. Throws an error if the informer already has an index with this name. */
  addIndex(name: string, extractValues: IndexFunction<T>): void {
    this.#store.addIndex(name, extractValues);
  }

  /** Adds a handler and calls `onAdd` for every cached object. Yields to the event loop between the calls. */
  addEventHandler(handler: EventHandler<T>): void {
    const notifiedKeys = new Set<string>();
    const registration: HandlerRegistration<T> = { handler, notifiedKeys };
    this.#registrations.push(registration);
    // The iterator also visits keys that are added during the iteration.
    const replay = forEachYielding(this.#options.clock, this.#store.keys(), (key) => {
      const object = this.#store.get(key);
      if (object === undefined || notifiedKeys.has(key)) return;
      notifiedKeys.add(key);
      this.#notify(() => handler.onAdd(object));
    });
    void replay.then(() => {
      registration.notifiedKeys = undefined;
    });
  }

  /** Whether the label selector of the scope matches the object. */
  isInScope({ metadata }: T): boolean {
    const { labelSelector } = this.#configuration.scope ?? {};
    return labelSelector === undefined || new ParsedLabelSelector(labelSelector).matches(metadata.labels);
  }

  /** Whether the watch will deliver this version of the object. False if the informer cannot evaluate its scope. */
  isAwaited(object: T): boolean {
    const { namespace, resourceVersion } = object.metadata;
    const reflector = this.#reflectors.find(namespace);
    if (reflector === undefined || this.#configuration.scope?.fieldSelector !== undefined) return false;
    return !reflector.hasReached(resourceVersion) && this.isInScope(object);
  }

  /** Whether the namespace is not, or no longer, among the selected namespaces. */
  isDeselected(namespace: string | undefined): boolean {
    return this.#hasSelectedNamespaces && this.#reflectors.find(namespace) === undefined;
  }

  get #hasSelectedNamespaces(): boolean {
    const { resource, selectedNamespaces } = this.#options;
    return (
      selectedNamespaces !== undefined && resource.namespaced && this.#configuration.scope?.namespaces === undefined
    );
  }

  /** Transforms the object. Returns the object unchanged if the transform fails. */
  applyTransform(incomingObject: T): T {
    const { transform = dropManagedFields } = this.#configuration;
    try {
      const object = transform(incomingObject, this.#store.get(formatKey(incomingObject)));
      const { name, namespace, resourceVersion } = object.metadata;
      const { metadata } = incomingObject;
      const isSameObject = name === metadata.name && namespace === metadata.namespace;
      if (isSameObject && resourceVersion === metadata.resourceVersion) return object;
      throw new TypeError('the transform changed the name or the version of the object');
    } catch (error) {
      const { namespace, name } = incomingObject.metadata;
      this.#log.error('transform failed, cached the object unchanged', error, { namespace, name });
      return incomingObject;
    }
  }

  /** Keeps the cached objects up to date until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { resource, selectedNamespaces } = this.#options;
    if (selectedNamespaces !== undefined && this.#hasSelectedNamespaces) {
      const onFollow = (namespaces: ReadonlySet<string>) => {
        this.#unsyncedNamespaces = new Set(namespaces);
        this.#recordSync(undefined); // there may be no namespace
      };
      await this.#reflectors.follow(selectedNamespaces, signal, { onFollow, onRemove: this.#removeNamespace });
    } else {
      const namespaces = (resource.namespaced && this.#configuration.scope?.namespaces) || [undefined];
      this.#unsyncedNamespaces = new Set(namespaces);
      for (const namespace of namespaces) this.#reflectors.start(namespace, signal);
    }
    await this.#reflectors.ended();
  }

  readonly #removeNamespace: NamespaceListener['onRemove'] = (namespace, reason) => {
    for (const object of this.#store.list()) {
      if (object.metadata.namespace !== namespace) continue;
      // All objects of a deleted namespace are deleted. The watch of the kind may not have delivered the deletions yet.
      this.#remove(formatKey(object), reason === 'deleted' ? 'onDelete' : 'onForget');
    }
    this.#recordSync(namespace);
  };

  #createReflector(namespace: string | undefined, stopSignal: AbortSignal): Reflector<T> {
    const { resource, metadataOnly, transport, clock, log } = this.#options;
    const { scope = {}, optional } = this.#configuration;
    const { namespaces: _, ...selectors } = scope;
    const sink = this.#createSink(namespace, stopSignal);
    return new Reflector({ resource, namespace, ...selectors, metadataOnly, optional, transport, clock, log, sink });
  }

  /** @param stopSignal After this signal aborts, the sink ignores the objects of the namespace. */
  #createSink(namespace: string | undefined, stopSignal: AbortSignal): ReflectorSink<T> {
    const upsert = (object: T) => {
      if (!stopSignal.aborted) this.#upsert(object);
    };
    return {
      convert: (incomingObject) => this.#toStoredObject(incomingObject),
      findByVersion: (resourceVersion) => this.#findWritten(resourceVersion),
      upsert,
      remove: (object) => this.#remove(formatKey(object)),
      onRelist: () => this.#notifyAll((handler) => handler.onRelist?.()),
      onResume: () => this.#notifyAll((handler) => handler.onResume?.()),
      replace: async (objects) => {
        await this.#removeAllExcept(objects, namespace);
        await forEachYielding(this.#options.clock, objects, upsert);
        this.#recordSync(namespace);
      },
    };
  }

  #recordSync(namespace: string | undefined): void {
    this.#unsyncedNamespaces?.delete(namespace);
    if (this.hasSynced) this.#syncResolvers.resolve();
  }

  /** Transforms the object, unless an object with the same resource version is already stored. */
  #toStoredObject(incomingObject: T): T {
    const { resourceVersion } = incomingObject.metadata;
    const cachedObject = this.#store.get(formatKey(incomingObject));
    if (cachedObject?.metadata.resourceVersion === resourceVersion) return cachedObject;
    return this.#findWritten(resourceVersion) ?? this.applyTransform(incomingObject);
  }

  #findWritten(resourceVersion: string): T | undefined {
    for (const { handler } of this.#registrations) {
      const writtenObject = handler.findWritten?.(resourceVersion);
      if (writtenObject !== undefined) return writtenObject;
    }
    return undefined;
  }

  async #removeAllExcept(objects: readonly T[], namespace: string | undefined): Promise<void> {
    if (this.#store.size === 0) return;
    const { clock } = this.#options;
    const presentKeys = new Set<string>();
    await forEachYielding(clock, objects, (object) => presentKeys.add(formatKey(object)));
    await forEachYielding(clock, this.#store.list(), (oldObject) => {
      const isInNamespace = namespace === undefined || oldObject.metadata.namespace === namespace;
      if (isInNamespace && !presentKeys.has(formatKey(oldObject))) this.#remove(formatKey(oldObject));
    });
  }

  /** @param object The result of {@link #toStoredObject}. */
  #upsert(object: T): void {
    const key = formatKey(object);
    if (this.#store.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const oldObject = this.#store.upsert(object);
    for (const { handler, notifiedKeys } of this.#registrations) {
      if (oldObject === undefined) {
        notifiedKeys?.add(key);
        this.#notify(() => handler.onAdd(object));
      } else if (notifiedKeys?.has(key) ?? true) {
        this.#notify(() => handler.onUpdate(oldObject, object));
      }
    }
  }

  #remove(key: string, notification: 'onDelete' | 'onForget' = 'onDelete'): void {
    const oldObject = this.#store.remove(key);
    if (oldObject === undefined) return;
    for (const { handler, notifiedKeys } of this.#registrations) {
      if (notifiedKeys?.delete(key) ?? true) this.#notify(() => handler[notification]?.(oldObject));
    }
  }

  #notifyAll(notify: (handler: EventHandler<T>) => void): void {
    for (const { handler } of this.#registrations) this.#notify(() => notify(handler));
  }

  /** Logs an error of a handler, so that the other handlers still receive the change, and the watch continues. */
  #notify(callHandler: () => void): void {
    const logError = (error: unknown) => this.#log.error('event handler failed', error);
    try {
      const handlerResult: unknown = callHandler(); // TypeScript also accepts an async function
      if (handlerResult instanceof Promise) handlerResult.catch(logError);
    } catch (error) {
      logError(error);
    }
  }
}

/** Removes `managedFields`, which are half the bytes of a typical object and which no reconciler reads. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}
