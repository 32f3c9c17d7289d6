/** The client that reconcilers get: reads from the cache, writes to the API server, and never forgets its own writes. */

import type {
  ApplyOptions,
  CachedListOptions,
  CachedReader,
  Client,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  ReadOptions,
  StatusUpdate,
  WriteOptions,
  Writer,
} from '../client/client.ts';
import type { ApplyConfiguration, Patch } from '../client/patch.ts';
import type { KubernetesObject, ObjectToCreate, SpecOf } from '../kubernetes/object.ts';
import {
  apiVersionOf,
  type InputResource,
  type KeyOf,
  keyOf,
  type ObjectKey,
  type Resource,
} from '../kubernetes/resource.ts';
import type { Cache } from './cache.ts';
import { UnheardWrites } from './unheard-writes.ts';
import { UnsureWrites } from './unsure-writes.ts';

/**
 * Reads of kinds that have an informer come from the cache, all others from the API server.
 *
 * A watch event may arrive later than the answer to the write that caused it. Until the cache has caught up, {@link get}
 * therefore returns the object as this client last wrote it: a reconcile never decides on a state older than its own
 * last decision. After a write that failed, which may have been stored all the same, it asks the API server; so it does for
 * the last ten thousand objects that were written and that the cache does not have. Lists come from the cache as it is.
 *
 * Whatever {@link get} returns of a cached kind went through the transform of its cache, wherever it came from.
 */
export class CachedClient implements CachedReader, Writer {
  readonly #cache: Cache;
  readonly #live: Client;
  /** Objects as written, where the cache is behind. Not longer than that: they would be a second copy of everything. */
  readonly #written = new Map<string, KubernetesObject>();
  /** Objects that were written, it is not known how. They are read from the API server until the cache has what that has. */
  readonly #unsure = new UnsureWrites();
  /** By kind, for those whose arrivals in the cache are followed. */
  readonly #unheard = new Map<string, UnheardWrites<KubernetesObject>>();

  constructor(cache: Cache, live: Client) {
    this.#cache = cache;
    this.#live = live;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyOf<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    if (!this.#cache.has(resource)) return this.#live.get(resource, key, options);
    if (this.#unsure.has(idOf(resource, key))) return this.#getUnsure(resource, key, options);
    const written = this.#written.get(idOf(resource, key)) as T | undefined; // filed under the resource that names T
    return written ?? this.#cache.get(resource, key);
  }

  async #getUnsure<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyOf<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    const live = await this.#live.get(resource, key, options);
    const cached = await this.#cache.get(resource, key);
    const isCaughtUp = live === undefined ? cached === undefined : cached !== undefined && !isBehind(cached, live);
    if (isCaughtUp) this.#unsure.delete(idOf(resource, key));
    return live && this.#cache.informerFor(resource).transformed(live);
  }

  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: CachedListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]> {
    if (this.#cache.has(resource)) return this.#cache.list(resource, options);
    return this.#live.list(resource, options as ListOptions<T> & ReadOptions); // it refuses an index, and says why
  }

  async create<T extends KubernetesObject, SpecInput = SpecOf<T>>(
    resource: InputResource<T, SpecInput>,
    object: ObjectToCreate<NoInfer<T>, NoInfer<SpecInput>>,
    options?: WriteOptions,
  ): Promise<T> {
    const write = this.#live.create(resource, object, options);
    const { namespace, name } = object.metadata;
    // Until the API server has made up a name there is nothing to ask about.
    const key = name === undefined ? (await write).metadata : { name, ...(namespace !== undefined && { namespace }) };
    return this.#remember(resource, key, write, options);
  }

  async update<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    const write = this.#live.update(resource, object, options);
    return this.#remember(resource, object.metadata, write, options);
  }

  async updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T> {
    const write = this.#live.updateStatus(resource, object, options);
    return this.#remember(resource, object.metadata, write, options);
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyOf<T>,
    patch: Patch<T>,
    options?: PatchOptions,
  ): Promise<T> {
    return this.#remember(resource, key, this.#live.patch(resource, key, patch, options), options);
  }

  async apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: ApplyConfiguration<T>,
    options?: ApplyOptions,
  ): Promise<T> {
    return this.#remember(resource, object.metadata, this.#live.apply(resource, object, options), options);
  }

  delete<T extends KubernetesObject>(resource: Resource<T>, key: KeyOf<T>, options?: DeleteOptions): Promise<void> {
    return this.#live.delete(resource, key, options);
  }

  async #remember<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    write: Promise<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (!this.#cache.has(resource) || options?.dryRun) return await write;
    const unheard = this.#follow(resource);
    const id = idOf(resource, key);
    try {
      const written = await write;
      const cached = await this.#cache.get(resource, key);
      this.#written.delete(id);
      this.#unsure.delete(id);
      if (cached !== undefined && !isBehind(cached, written)) return written;
      const kept = this.#cache.informerFor(resource).transformed(written);
      unheard.add(kept);
      if (cached !== undefined) this.#written.set(id, kept);
      else this.#unsure.add(id, false); // deleted since, yet to arrive, or none that the cache holds
      return written;
    } catch (error) {
      this.#unsure.add(id, false); // at once: nothing is to be read before
      if ((await this.#cache.get(resource, key)) !== undefined) this.#unsure.move(id, true);
      throw error;
    }
  }

  /** Forgets what was written as soon as the cache has it, or something newer. */
  #follow(resource: Resource): UnheardWrites<KubernetesObject> {
    const kind = kindOf(resource);
    const known = this.#unheard.get(kind);
    if (known !== undefined) return known;
    const unheard = new UnheardWrites<KubernetesObject>();
    this.#unheard.set(kind, unheard);
    const forgetOlderThan = (object: KubernetesObject) => {
      unheard.delete(object);
      const id = idOf(resource, object.metadata);
      this.#unsure.move(id, true);
      const written = this.#written.get(id);
      if (written !== undefined && !isBehind(object, written)) this.#written.delete(id);
    };
    this.#cache.informerFor(resource).addEventHandler({
      written: (resourceVersion) => unheard.get(resourceVersion),
      onRelist: () => {
        // A server whose etcd was restored counts its versions once more, and may not have what was written.
        unheard.clear();
        for (const id of [...this.#written.keys()].filter((each) => each.startsWith(`${kind}/`))) {
          this.#written.delete(id);
          this.#unsure.add(id, true);
        }
      },
      onAdd: forgetOlderThan,
      onUpdate: (_, object) => forgetOlderThan(object),
      onDelete: ({ metadata }) => {
        const id = idOf(resource, metadata);
        const written = this.#written.get(id);
        this.#written.delete(id);
        this.#unsure.move(id, false);
        // What was written is the successor of what was deleted, and may be gone by now as well.
        if (written !== undefined && written.metadata.uid !== metadata.uid) this.#unsure.add(id, false);
      },
    });
    return unheard;
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
