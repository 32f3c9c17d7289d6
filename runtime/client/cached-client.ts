/** The client that reconcilers get: reads from the cache, writes to the API server, and never forgets its own writes. */
import type { Cache } from '../cache/cache.ts';
import type { Client, DeleteOptions, ListOptions, Patch, ReadOptions, StatusUpdate, WriteOptions } from './client.ts';
import { apiVersionOf, type KubernetesObject, keyOf, type NewObject, type ObjectKey, type Resource } from './object.ts';

/**
 * Reads of kinds that have an informer come from the cache, all others from the API server.
 *
 * A watch event may arrive later than the answer to the write that caused it. Until the cache has caught up, {@link get}
 * therefore returns the object as this client last wrote it: a reconcile never decides on a state older than its own
 * last decision. Lists come from the cache as it is.
 */
export class CachedClient implements Client {
  readonly #cache: Cache;
  readonly #live: Client;
  /** Objects as written, where the cache is behind. Not longer than that: they would be a second copy of everything. */
  readonly #written = new Map<string, KubernetesObject>();
  /** Kinds whose arrivals in the cache are followed. */
  readonly #followed = new Set<string>();

  constructor(cache: Cache, live: Client) {
    this.#cache = cache;
    this.#live = live;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    if (!this.#cache.has(resource)) return this.#live.get(resource, key, options);
    const written = this.#written.get(idOf(resource, key)) as T | undefined; // filed under the resource that names T
    return written ?? this.#cache.get(resource, key);
  }

  list<T extends KubernetesObject>(resource: Resource<T>, options?: ListOptions & ReadOptions): Promise<readonly T[]> {
    return this.#cache.has(resource) ? this.#cache.list(resource, options) : this.#live.list(resource, options);
  }

  create<T extends KubernetesObject>(resource: Resource<T>, object: NewObject<T>, options?: WriteOptions): Promise<T> {
    return this.#live.create(resource, object, options);
  }

  async update<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#remember(resource, await this.#live.update(resource, object, options), options);
  }

  async updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#remember(resource, await this.#live.updateStatus(resource, object, options), options);
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T> {
    return this.#remember(resource, await this.#live.patch(resource, key, patch, options), options);
  }

  delete<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.#live.delete(resource, key, options);
  }

  #remember<T extends KubernetesObject>(resource: Resource<T>, written: T, options?: WriteOptions): T {
    if (!this.#cache.has(resource) || options?.dryRun) return written;
    this.#follow(resource);
    const cached = this.#cache.informerFor(resource).store.get(keyOf(written));
    if (cached !== undefined && isBehind(cached, written)) {
      this.#written.set(idOf(resource, written.metadata), written);
    }
    return written;
  }

  /** Forgets what was written as soon as the cache has it, or something newer. */
  #follow(resource: Resource): void {
    const kind = kindOf(resource);
    if (this.#followed.has(kind)) return;
    this.#followed.add(kind);
    this.#cache.informerFor(resource).addEventHandler({
      onAdd() {}, // what is remembered was in the cache before
      onUpdate: (_, object) => {
        const id = idOf(resource, object.metadata);
        const written = this.#written.get(id);
        if (written !== undefined && !isBehind(object, written)) this.#written.delete(id);
      },
      onDelete: ({ metadata }) => this.#written.delete(idOf(resource, metadata)),
    });
  }
}

/** Resource versions of one kind are comparable as numbers (Kubernetes enhancement 5504). */
function isBehind({ metadata: cached }: KubernetesObject, { metadata: written }: KubernetesObject): boolean {
  return BigInt(cached.resourceVersion) < BigInt(written.resourceVersion);
}

function idOf(resource: Resource, key: ObjectKey): string {
  return `${kindOf(resource)}/${keyOf(key)}`;
}

function kindOf(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
