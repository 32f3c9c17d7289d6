/** The client that reconcilers get: reads from the cache, writes to the API server, and never forgets its own writes. */
import type { CachedReader, Client, ListOptions, ReadOptions, WriteOptions, Writer } from '../client/client.ts';
import { isGone } from '../client/deletion.ts';
import type { LiveClient } from '../client/live-client.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { collectionOf, type KeyOf, keyOf, type ObjectKey, type Resource } from '../kubernetes/resource.ts';
import type { Cache } from './cache.ts';
import { TrackedIds } from './tracked-ids.ts';
import { UnheardWrites } from './unheard-writes.ts';

/** What is behind the cache; {@link LiveClient} is the real one. */
export interface BackingClient extends Client, Pick<LiveClient, 'requestDeletion'> {}

/**
 * Reads of kinds that have an informer come from the cache, all others from the API server.
 * A watch event may arrive later than the answer to the write that caused it. Until the cache has caught up, {@link get}
 * therefore returns the object as this client last wrote it, and nothing where this client removed it: a reconcile never decides
 * on a state older than its own last decision. After a write that failed, which may have been stored all the same, it asks the
 * API server; so it does for the last ten thousand objects that were written and that the cache does not have. Lists come from
 * the cache as it is.
 * Whatever {@link get} returns of a cached kind went through the transform of its cache.
 */
export class CachedClient implements CachedReader, Writer {
  readonly #cache: Cache;
  readonly #live: BackingClient;
  /** Objects as written, where the cache is behind. Not longer than that: they would be a second copy of everything. */
  readonly #written = new Map<string, KubernetesObject>();
  /** Objects that were written, it is not known how. They are read from the API server until the cache has what that has. */
  readonly #unsure = new TrackedIds();
  /** UIDs of objects that this client has removed, until the cache has heard of it. The cache never shows them again. */
  readonly #gone = new TrackedIds();
  /** By kind, for those whose arrivals in the cache are followed. */
  readonly #unheard = new Map<string, UnheardWrites<KubernetesObject>>();

  constructor(cache: Cache, live: BackingClient) {
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
    const object = written ?? (await this.#cache.get(resource, key));
    return object !== undefined && this.#gone.has(object.metadata.uid) ? undefined : object;
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

  readonly list: CachedReader['list'] = (resource, options) => {
    if (this.#cache.has(resource)) return this.#cache.list(resource, options);
    return this.#live.list(resource, options as ListOptions<never> & ReadOptions); // it refuses an index, and says why
  };

  readonly create: Writer['create'] = async (resource, object, options) => {
    const write = this.#live.create(resource, object, options);
    const { namespace, name } = object.metadata;
    // Until the API server has made up a name there is nothing to ask about.
    const key = name === undefined ? (await write).metadata : { name, ...(namespace !== undefined && { namespace }) };
    return this.#remember(resource, key, write, options);
  };

  readonly update: Writer['update'] = async (resource, object, options) =>
    this.#remember(resource, object.metadata, this.#live.update(resource, object, options), options);

  readonly updateStatus: Writer['updateStatus'] = async (resource, object, options) =>
    this.#remember(resource, object.metadata, this.#live.updateStatus(resource, object, options), options);

  readonly patch: Writer['patch'] = async (resource, key, patch, options) =>
    this.#remember(resource, key, this.#live.patch(resource, key, patch, options), options);

  readonly apply: Writer['apply'] = async (resource, object, options) =>
    this.#remember(resource, object.metadata, this.#live.apply(resource, object, options), options);

  readonly delete: Writer['delete'] = async (resource, key, options) => {
    const request = this.#live.requestDeletion(resource, key, options);
    if (!this.#cache.has(resource) || options?.dryRun) return void (await request);
    const deletion = await this.#answered(resource, key, request);
    if (deletion.kind === 'Pending') await this.#keep(resource, key, deletion.object);
    else await this.#hide(resource, key, deletion.uid);
  };

  async #remember<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    write: Promise<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (!this.#cache.has(resource) || options?.dryRun) return await write;
    const written = await this.#answered(resource, key, write);
    if (isGone(written)) await this.#hide(resource, key, written.metadata.uid);
    else await this.#keep(resource, key, written);
    return written;
  }

  /** The answer to a write. Without one it is not known what was stored. */
  async #answered<A>(resource: Resource, key: ObjectKey, write: Promise<A>): Promise<A> {
    this.#follow(resource);
    try {
      return await write;
    } catch (error) {
      const id = idOf(resource, key);
      this.#unsure.add(id, false); // at once: nothing is to be read before
      if ((await this.#cache.get(resource, key)) !== undefined) this.#unsure.move(id, true);
      throw error;
    }
  }

  /** Keeps what was written until the cache has it. */
  async #keep<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey, written: T): Promise<void> {
    const id = idOf(resource, key);
    const cached = await this.#cache.get(resource, key);
    this.#written.delete(id);
    this.#unsure.delete(id);
    if (cached !== undefined && !isBehind(cached, written)) return;
    const kept = this.#cache.informerFor(resource).transformed(written);
    this.#follow(resource).add(kept);
    if (cached !== undefined) this.#written.set(id, kept);
    else this.#unsure.add(id, false); // deleted since, yet to arrive, or none that the cache holds
  }

  /** Hides what was removed until the cache has heard of it. @param uid Absent when it is not known which object that was. */
  async #hide(resource: Resource, key: ObjectKey, uid: string | undefined): Promise<void> {
    const id = idOf(resource, key);
    const cached = await this.#cache.get(resource, key);
    const shown = [cached, this.#written.get(id)];
    this.#written.delete(id);
    this.#unsure.delete(id);
    if (uid !== undefined) this.#gone.add(uid, cached?.metadata.uid === uid);
    // Others of its name are predecessors, which are gone too, or a successor.
    const isUnsure = uid === undefined || shown.some((each) => each && !this.#gone.has(each.metadata.uid));
    if (isUnsure) this.#unsure.add(id, cached !== undefined);
  }

  /** Forgets what was written as soon as the cache has it, or something newer. */
  #follow(resource: Resource): UnheardWrites<KubernetesObject> {
    const kind = collectionOf(resource);
    const known = this.#unheard.get(kind);
    if (known !== undefined) return known;
    const unheard = new UnheardWrites<KubernetesObject>();
    this.#unheard.set(kind, unheard);
    const forgetOlderThan = (object: KubernetesObject) => {
      unheard.delete(object);
      const id = idOf(resource, object.metadata);
      this.#gone.move(object.metadata.uid, true);
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
        this.#askAboutGone(resource);
      },
      onAdd: forgetOlderThan,
      onUpdate: (old, object) => {
        if (old.metadata.uid !== object.metadata.uid) this.#gone.delete(old.metadata.uid);
        forgetOlderThan(object);
      },
      onDelete: ({ metadata }) => {
        const id = idOf(resource, metadata);
        this.#gone.delete(metadata.uid);
        const written = this.#written.get(id);
        this.#written.delete(id);
        this.#unsure.move(id, false);
        // What was written is the successor of what was deleted, and may be gone by now as well.
        if (written !== undefined && written.metadata.uid !== metadata.uid) this.#unsure.add(id, false);
      },
    });
    return unheard;
  }

  /** What is gone may be back in an etcd that was restored. */
  #askAboutGone(resource: Resource): void {
    if (this.#gone.cached === 0) return;
    for (const { metadata } of this.#cache.informerFor(resource).store.list()) {
      if (!this.#gone.has(metadata.uid)) continue;
      this.#gone.delete(metadata.uid);
      this.#unsure.add(idOf(resource, metadata), true);
    }
  }
}

/** Resource versions of one kind are comparable as numbers (Kubernetes enhancement 5504). */
function isBehind({ metadata: cached }: KubernetesObject, { metadata: written }: KubernetesObject): boolean {
  return BigInt(cached.resourceVersion) < BigInt(written.resourceVersion);
}

function idOf(resource: Resource, key: ObjectKey): string {
  return `${collectionOf(resource)}/${keyOf(key)}`;
}
