import { ParsedLabelSelector } from '../client/label-selector.ts';
import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { forEachYielding } from '../clock/yielding-loop.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { CacheScope } from './cache-scope.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import { type IndexFunction, Store } from './store.ts';

/**
 * Receives every change after the store and its indexes have it. Must not block. The informer logs an error in a
 * handler.
 */
export interface EventHandler<T> {
  onAdd(object: T): void;
  onUpdate(old: T, object: T): void;
  /** `object` is the last known state. */
  onDelete(object: T): void;
  /** The connection to the API server works again after a failure; the missed changes follow. */
  onResume?(): void;
  /**
   * The informer is about to read all objects again, because it does not know their state. Also called before the first
   * read.
   */
  onRelist?(): void;
  /**
   * Returns the object that this process wrote in that version, as {@link Informer.applyTransform} returned it, while the
   * watch has not delivered it. Default `undefined`.
   */
  findWritten?(resourceVersion: string): T | undefined;
}

/**
 * Returns the object to keep for an incoming object. If the transform throws, or returns another object, the cache
 * keeps the incoming object as it is. `held` is the object that the cache has under that name, usually an earlier
 * version; the result may share unchanged parts with it.
 */
export type Transform<T> = (object: T, held: T | undefined) => T;

/** Which objects of a kind an informer holds, and in which form. */
interface InformerContent<T> {
  /** Default: all objects. */
  readonly scope?: CacheScope;
  /** Default: keeps all fields but `managedFields`. */
  readonly transform?: Transform<T> | undefined;
}

export interface InformerOptions<T extends KubernetesObject> extends InformerContent<T> {
  readonly resource: Resource<T>;
  /** Objects arrive without spec and status, and `T` has neither. */
  readonly metadataOnly?: boolean;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

interface HandlerRegistration<T> {
  readonly handler: EventHandler<T>;
  /**
   * Keys that the handler has received; `undefined` once it has received all. The handler gets no update or deletion of
   * other keys.
   */
  notifiedKeys: Set<string> | undefined;
}

/** Keeps a kind's objects in sync with the API server, indexes them, and notifies handlers of changes. */
export class Informer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #registrations: HandlerRegistration<T>[] = [];
  readonly #log: Logger;
  readonly #synced = Promise.withResolvers<void>();
  #content: InformerContent<T>;
  /** Empty before the informer runs. */
  #reflectors: readonly Reflector<T>[] = [];
  /**
   * Namespaces whose objects have not all been read yet; `undefined` stands for all of them. Absent before the informer
   * runs.
   */
  #unsynced: Set<string | undefined> | undefined;

  constructor(options: InformerOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
    this.#content = options;
    this.#log = options.log.with({ resource: options.resource.plural });
    this.#store = new Store((error, where) =>
      this.#log.error('index function failed, object is missing from the index', error, where),
    );
  }

  /** The objects, read-only. They are shared: do not change them. */
  get store(): Pick<Store<T>, 'get' | 'list' | 'keys' | 'byIndex' | 'size'> {
    return this.#store;
  }

  /** Whether the informer has received every object once and has notified its handlers. Stays true. */
  get hasSynced(): boolean {
    return this.#unsynced?.size === 0;
  }

  /** Resolves when {@link hasSynced} becomes true. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** The longest silence of any of its watches, in milliseconds. */
  get silenceMs(): number {
    return Math.max(0, ...this.#reflectors.map((reflector) => reflector.silenceMs));
  }

  /** Replaces the holding that the constructor set. For the cache, before the informer runs. */
  setContent(content: InformerContent<T>): void {
    this.#content = content;
  }

  addIndex(name: string, extractValues: IndexFunction<T>): void {
    this.#store.addIndex(name, extractValues);
  }

  /**
   * Adds a handler and calls `onAdd` for every object that is already here. With thousands of objects, the calls spread
   * over several turns of the event loop.
   */
  addEventHandler(handler: EventHandler<T>): void {
    const notifiedKeys = new Set<string>();
    const registration: HandlerRegistration<T> = { handler, notifiedKeys };
    this.#registrations.push(registration);
    // The iterator also visits keys that are added while it runs.
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
  selects({ metadata }: T): boolean {
    const { labelSelector } = this.#content.scope ?? {};
    return labelSelector === undefined || new ParsedLabelSelector(labelSelector).matches(metadata.labels);
  }

  /**
   * Returns the object to keep for `incoming`. If the transform fails, keeps it as it is: without it, the object would
   * look deleted.
   */
  applyTransform(incoming: T): T {
    const { transform = dropManagedFields } = this.#content;
    try {
      const object = transform(incoming, this.#store.get(formatKey(incoming)));
      const { name, namespace, resourceVersion } = object.metadata;
      const { metadata } = incoming;
      const isSame = name === metadata.name && namespace === metadata.namespace;
      if (isSame && resourceVersion === metadata.resourceVersion) return object;
      throw new TypeError('the transform changed the name or the version of the object');
    } catch (error) {
      const { namespace, name } = incoming.metadata;
      this.#log.error('transform failed, cached the object unchanged', error, { namespace, name });
      return incoming;
    }
  }

  /** Mirrors the objects until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { resource, metadataOnly, transport, clock, log } = this.#options;
    const { namespaces, ...selectors } = this.#content.scope ?? {};
    const watchedNamespaces = (resource.namespaced && namespaces) || [undefined];
    this.#unsynced = new Set(watchedNamespaces);
    this.#reflectors = watchedNamespaces.map((namespace) => {
      const sink = this.#sink(namespace);
      return new Reflector({ resource, namespace, ...selectors, metadataOnly, transport, clock, log, sink });
    });
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  #sink(namespace: string | undefined): ReflectorSink<T> {
    return {
      convert: (incoming) => this.#toStored(incoming),
      findByVersion: (resourceVersion) => this.#findWritten(resourceVersion),
      upsert: (object) => this.#upsert(object),
      remove: (object) => this.#remove(formatKey(object)),
      onRelist: () => this.#notifyAll((handler) => handler.onRelist?.()),
      onResume: () => this.#notifyAll((handler) => handler.onResume?.()),
      replace: async (objects) => {
        await this.#removeAllExcept(objects, namespace);
        await forEachYielding(this.#options.clock, objects, (object) => this.#upsert(object));
        this.#unsynced?.delete(namespace);
        if (this.hasSynced) this.#synced.resolve();
      },
    };
  }

  /** Reuses an object that is already known in this version, so that no object is transformed or held twice. */
  #toStored(incoming: T): T {
    const { resourceVersion } = incoming.metadata;
    const cached = this.#store.get(formatKey(incoming));
    if (cached?.metadata.resourceVersion === resourceVersion) return cached;
    return this.#findWritten(resourceVersion) ?? this.applyTransform(incoming);
  }

  #findWritten(resourceVersion: string): T | undefined {
    for (const { handler } of this.#registrations) {
      const written = handler.findWritten?.(resourceVersion);
      if (written !== undefined) return written;
    }
    return undefined;
  }

  async #removeAllExcept(objects: readonly T[], namespace: string | undefined): Promise<void> {
    if (this.#store.size === 0) return;
    const { clock } = this.#options;
    const presentKeys = new Set<string>();
    await forEachYielding(clock, objects, (object) => presentKeys.add(formatKey(object)));
    await forEachYielding(clock, this.#store.list(), (old) => {
      const isInScope = namespace === undefined || old.metadata.namespace === namespace;
      if (isInScope && !presentKeys.has(formatKey(old))) this.#remove(formatKey(old));
    });
  }

  /** @param object What {@link #toStored} returned. */
  #upsert(object: T): void {
    const key = formatKey(object);
    if (this.#store.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const old = this.#store.upsert(object);
    for (const { handler, notifiedKeys } of this.#registrations) {
      if (old === undefined) {
        notifiedKeys?.add(key);
        this.#notify(() => handler.onAdd(object));
      } else if (notifiedKeys?.has(key) ?? true) {
        this.#notify(() => handler.onUpdate(old, object));
      }
    }
  }

  #remove(key: string): void {
    const old = this.#store.remove(key);
    if (old === undefined) return;
    for (const { handler, notifiedKeys } of this.#registrations) {
      if (notifiedKeys?.delete(key) ?? true) this.#notify(() => handler.onDelete(old));
    }
  }

  #notifyAll(notify: (handler: EventHandler<T>) => void): void {
    for (const { handler } of this.#registrations) this.#notify(() => notify(handler));
  }

  /**
   * An error in one handler does not stop the mirror: the other handlers still get the change, and the watch continues.
   */
  #notify(handle: () => void): void {
    const logError = (error: unknown) => this.#log.error('event handler failed', error);
    try {
      const returned: unknown = handle(); // TypeScript accepts an async function as one that returns void
      if (returned instanceof Promise) returned.catch(logError);
    } catch (error) {
      logError(error);
    }
  }
}

/** managedFields are half the bytes of a typical object, and no reconciler reads them. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}
