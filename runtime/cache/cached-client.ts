/**
 * The client that reconcilers get: it reads from the cache, writes to the API server, and always sees its own writes.
 */
import type { CachedReader, Client, ListOptions, ReadOptions, WriteOptions, Writer } from '../client/client.ts';
import { isDeleted } from '../client/deletion.ts';
import type { LiveClient } from '../client/live-client.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import {
  formatGroupVersionResource,
  formatKey,
  type KeyFor,
  type ObjectKey,
  type Resource,
} from '../kubernetes/resource.ts';
import type { Cache } from './cache.ts';
import { TrackedIds } from './tracked-ids.ts';
import { UnobservedWrites } from './unobserved-writes.ts';

/** The client behind the cache; {@link LiveClient} implements it. */
export interface BackingClient extends Client, Pick<LiveClient, 'requestDeletion'> {}

/**
 * Reads kinds that have an informer from the cache, and all other kinds from the API server. A watch event may arrive
 * later than the answer to the write that caused it. Until the cache has caught up, {@link get} therefore returns the
 * object as this client last wrote it, or `undefined` if this client removed it: a reconcile never decides on a state
 * older than its own last decision. After a failed write, which may have been stored all the same, {@link get} reads
 * from the API server. It does the same for the last ten thousand written objects that the cache does not have. Lists
 * come from the cache as it is. Every object of a cached kind that {@link get} returns went through the transform of
 * its cache.
 */
export class CachedClient implements CachedReader, Writer {
  readonly #cache: Cache;
  readonly #live: BackingClient;
  /**
   * Written objects that the cache does not have yet. They are dropped as soon as it does, because they would be a
   * second copy of everything.
   */
  readonly #written = new Map<string, KubernetesObject>();
  /**
   * Objects after a write with an unknown outcome. {@link get} reads them from the API server until the cache has the
   * state that the API server has.
   */
  readonly #uncertain = new TrackedIds();
  /**
   * UIDs of objects that this client has removed, until the cache receives the deletion. The client hides them until
   * then.
   */
  readonly #deleted = new TrackedIds();
  /** By kind, for the kinds whose events in the cache this client follows. */
  readonly #unobserved = new Map<string, UnobservedWrites<KubernetesObject>>();

  constructor(cache: Cache, live: BackingClient) {
    this.#cache = cache;
    this.#live = live;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    if (!this.#cache.has(resource)) return this.#live.get(resource, key, options);
    if (this.#uncertain.has(formatId(resource, key))) return this.#getUncertain(resource, key, options);
    const written = this.#written.get(formatId(resource, key)) as T | undefined; // stored under its resource, whose objects are T
    const object = written ?? (await this.#cache.get(resource, key));
    return object !== undefined && this.#deleted.has(object.metadata.uid) ? undefined : object;
  }

  async #getUncertain<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    const live = await this.#live.get(resource, key, options);
    const cached = await this.#cache.get(resource, key);
    const informer = this.#cache.informerFor(resource);
    const found = live && informer.selects(live) ? live : undefined; // its labels may have changed
    const isCaughtUp = found === undefined ? cached === undefined : cached !== undefined && !isOlder(cached, found);
    if (isCaughtUp) this.#uncertain.delete(formatId(resource, key));
    return found && informer.applyTransform(found);
  }

  readonly list: CachedReader['list'] = (resource, options) => {
    if (this.#cache.has(resource)) return this.#cache.list(resource, options);
    return this.#live.list(resource, options as ListOptions<never> & ReadOptions); // throws for an index
  };

  readonly create: Writer['create'] = async (resource, object, options) => {
    const write = this.#live.create(resource, object, options);
    const { namespace, name } = object.metadata;
    // There is nothing to look up until the API server has generated the name.
    const key = name === undefined ? (await write).metadata : { name, ...(namespace !== undefined && { namespace }) };
    return this.#recordWrite(resource, key, write, options);
  };

  readonly update: Writer['update'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#live.update(resource, object, options), options);

  readonly updateStatus: Writer['updateStatus'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#live.updateStatus(resource, object, options), options);

  readonly patch: Writer['patch'] = async (resource, key, patch, options) =>
    this.#recordWrite(resource, key, this.#live.patch(resource, key, patch, options), options);

  readonly apply: Writer['apply'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#live.apply(resource, object, options), options);

  readonly delete: Writer['delete'] = async (resource, key, options) => {
    const request = this.#live.requestDeletion(resource, key, options);
    if (!this.#cache.has(resource) || options?.dryRun) return void (await request);
    const deletion = await this.#trackOutcome(resource, key, request);
    if (deletion.kind === 'Pending') await this.#recordWritten(resource, key, deletion.object);
    else await this.#recordDeletion(resource, key, deletion.uid);
  };

  async #recordWrite<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    write: Promise<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (!this.#cache.has(resource) || options?.dryRun) return await write;
    const written = await this.#trackOutcome(resource, key, write);
    if (isDeleted(written)) await this.#recordDeletion(resource, key, written.metadata.uid);
    else await this.#recordWritten(resource, key, written);
    return written;
  }

  /** Returns the answer to a write. Without an answer, the stored state is unknown. */
  async #trackOutcome<A>(resource: Resource, key: ObjectKey, write: Promise<A>): Promise<A> {
    this.#observeEvents(resource);
    try {
      return await write;
    } catch (error) {
      const id = formatId(resource, key);
      this.#uncertain.add(id, false); // at once: no read may come before
      if ((await this.#cache.get(resource, key)) !== undefined) this.#uncertain.setCached(id, true);
      throw error;
    }
  }

  /** Keeps the written object until the cache has it. */
  async #recordWritten<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey, written: T): Promise<void> {
    const id = formatId(resource, key);
    const cached = await this.#cache.get(resource, key);
    this.#written.delete(id);
    this.#uncertain.delete(id);
    if (cached !== undefined && !isOlder(cached, written)) return;
    const stored = this.#cache.informerFor(resource).applyTransform(written);
    this.#observeEvents(resource).add(stored);
    if (cached !== undefined) this.#written.set(id, stored);
    else this.#uncertain.add(id, false); // deleted since, yet to arrive, or outside the cache's scope
  }

  /**
   * Hides the removed object until the cache receives the deletion.
   * @param uid Absent when the UID of the removed object is unknown.
   */
  async #recordDeletion(resource: Resource, key: ObjectKey, uid: string | undefined): Promise<void> {
    const id = formatId(resource, key);
    const cached = await this.#cache.get(resource, key);
    const visible = [cached, this.#written.get(id)];
    this.#written.delete(id);
    this.#uncertain.delete(id);
    if (uid !== undefined) this.#deleted.add(uid, cached?.metadata.uid === uid);
    // Objects with the same name and another UID are predecessors, which are gone too, or a successor.
    const isUncertain =
      uid === undefined || visible.some((object) => object && !this.#deleted.has(object.metadata.uid));
    if (isUncertain) this.#uncertain.add(id, cached !== undefined);
  }

  /** Drops the written object as soon as the cache has it or a newer version. */
  #observeEvents(resource: Resource): UnobservedWrites<KubernetesObject> {
    const kind = formatGroupVersionResource(resource);
    const existing = this.#unobserved.get(kind);
    if (existing !== undefined) return existing;
    const unobserved = new UnobservedWrites<KubernetesObject>();
    this.#unobserved.set(kind, unobserved);
    const markObserved = (object: KubernetesObject) => {
      unobserved.delete(object);
      const id = formatId(resource, object.metadata);
      this.#deleted.setCached(object.metadata.uid, true);
      this.#uncertain.setCached(id, true);
      const written = this.#written.get(id);
      if (written !== undefined && !isOlder(object, written)) this.#written.delete(id);
    };
    this.#cache.informerFor(resource).addEventHandler({
      findWritten: (resourceVersion) => unobserved.get(resourceVersion),
      onRelist: () => {
        // A restored etcd counts its versions again, and may not have the written object.
        unobserved.clear();
        for (const id of [...this.#written.keys()].filter((writtenId) => writtenId.startsWith(`${kind}/`))) {
          this.#written.delete(id);
          this.#uncertain.add(id, true);
        }
        this.#recheckDeleted(resource);
      },
      onAdd: markObserved,
      onUpdate: (old, object) => {
        if (old.metadata.uid !== object.metadata.uid) this.#deleted.delete(old.metadata.uid);
        markObserved(object);
      },
      onDelete: ({ metadata }) => {
        const id = formatId(resource, metadata);
        this.#deleted.delete(metadata.uid);
        const written = this.#written.get(id);
        this.#written.delete(id);
        this.#uncertain.setCached(id, false);
        // The written object is the successor of the deleted one, and may be gone by now too.
        if (written !== undefined && written.metadata.uid !== metadata.uid) this.#uncertain.add(id, false);
      },
    });
    return unobserved;
  }

  /** A restored etcd may have a removed object again. */
  #recheckDeleted(resource: Resource): void {
    if (this.#deleted.cachedCount === 0) return;
    for (const { metadata } of this.#cache.informerFor(resource).store.list()) {
      if (!this.#deleted.has(metadata.uid)) continue;
      this.#deleted.delete(metadata.uid);
      this.#uncertain.add(formatId(resource, metadata), true);
    }
  }
}

/** Resource versions of one kind are comparable as numbers (Kubernetes enhancement 5504). */
function isOlder({ metadata: cached }: KubernetesObject, { metadata: written }: KubernetesObject): boolean {
  return BigInt(cached.resourceVersion) < BigInt(written.resourceVersion);
}

function formatId(resource: Resource, key: ObjectKey): string {
  return `${formatGroupVersionResource(resource)}/${formatKey(key)}`;
}
