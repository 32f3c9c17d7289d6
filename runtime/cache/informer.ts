import { type KubernetesObject, keyOf, type Resource } from '../client/object.ts';
import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import { type IndexFunction, Store } from './store.ts';

/** Told of every change, after the store and its indexes have it. Must not throw and must not wait. */
export interface EventHandler<T> {
  onAdd(object: T): void;
  onUpdate(old: T, object: T): void;
  /** `object` is its last known state. */
  onDelete(object: T): void;
  /** The API server can be heard again after it could not; what was missed follows. */
  onResume?(): void;
}

/** Makes the object that the cache keeps from the one that came in; may drop what nobody reads. */
export type Transform<T> = (object: T) => T;

export interface InformerOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** Namespaces to mirror; all of the cluster when absent, or when no namespace holds the kind. */
  readonly namespaces?: readonly string[] | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transform?: Transform<T> | undefined;
}

/** A kind's objects, held in step with the API server, indexed, with handlers for what changes. */
export class Informer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly #store = new Store<T>();
  readonly #handlers: EventHandler<T>[] = [];
  readonly #reflectors: readonly Reflector<T>[];
  readonly #transform: Transform<T>;
  readonly #log: Logger;
  readonly #synced = Promise.withResolvers<void>();
  /** Scopes whose objects have not all been read yet. */
  readonly #unsynced: Set<string | undefined>;

  constructor({ resource, namespaces, transport, clock, log, transform }: InformerOptions<T>) {
    this.resource = resource;
    this.#transform = transform ?? dropManagedFields;
    this.#log = log;
    const scopes = (resource.namespaced && namespaces) || [undefined];
    this.#unsynced = new Set(scopes);
    this.#reflectors = scopes.map(
      (namespace) => new Reflector({ resource, namespace, transport, clock, log, sink: this.#sink(namespace) }),
    );
  }

  /** The objects. For reading: what comes out is shared and must not be changed. */
  get store(): Pick<Store<T>, 'get' | 'list' | 'keys' | 'byIndex' | 'size'> {
    return this.#store;
  }

  /** Every object has been here once, and handlers were told of it. Stays true. */
  get hasSynced(): boolean {
    return this.#unsynced.size === 0;
  }

  /** Resolves when {@link hasSynced} becomes true. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** The longest that any of its watches has said nothing, in milliseconds. */
  get silentForMs(): number {
    return Math.max(...this.#reflectors.map((reflector) => reflector.silentForMs));
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf);
  }

  /** Adds a handler; it gets `onAdd` for every object that is here already. */
  addEventHandler(handler: EventHandler<T>): void {
    this.#handlers.push(handler);
    for (const object of this.#store.list()) this.#tell(() => handler.onAdd(object));
  }

  /** Mirrors until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  #sink(namespace: string | undefined): ReflectorSink<T> {
    return {
      upsert: (object) => this.#upsert(object),
      remove: (object) => this.#remove(keyOf(object)),
      resumed: () => {
        for (const handler of this.#handlers) this.#tell(() => handler.onResume?.());
      },
      replace: (objects) => {
        const present = new Set(objects.map(keyOf));
        for (const old of this.#store.list()) {
          const isOurs = namespace === undefined || old.metadata.namespace === namespace;
          if (isOurs && !present.has(keyOf(old))) this.#remove(keyOf(old));
        }
        for (const object of objects) this.#upsert(object);
        this.#unsynced.delete(namespace);
        if (this.hasSynced) this.#synced.resolve();
      },
    };
  }

  #upsert(incoming: T): void {
    const known = this.#store.get(keyOf(incoming));
    if (known?.metadata.resourceVersion === incoming.metadata.resourceVersion) return;
    const object = this.#transform(incoming);
    const old = this.#store.upsert(object);
    for (const handler of this.#handlers) {
      this.#tell(() => (old === undefined ? handler.onAdd(object) : handler.onUpdate(old, object)));
    }
  }

  #remove(key: string): void {
    const old = this.#store.remove(key);
    if (old === undefined) return;
    for (const handler of this.#handlers) this.#tell(() => handler.onDelete(old));
  }

  /** One handler's fault is not the mirror's: the others are still told, and the watch goes on. */
  #tell(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#log.error('event handler failed', error, { resource: this.resource.plural });
    }
  }
}

/** managedFields are half the bytes of a typical object, and no reconciler reads them. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}
