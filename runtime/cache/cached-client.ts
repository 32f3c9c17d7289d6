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

/** The client that sends requests to the API server. */
export interface BackingClient extends Client, Pick<LiveClient, 'requestDeletion'> {}

/**
 * A client for reconcilers. If a kind has an informer, this client reads the objects of the kind from the cache, and
 * otherwise from the API server. This client writes to the API server.
 *
 * A reconciler always reads its own writes, although the watch may deliver the changes later. Until the cache contains
 * a write, {@link get} returns the object that this client wrote, or `undefined` if this client deleted the object.
 * {@link get} sends a request to the API server if the last write of the object failed, because the API server may have
 * stored the write. {@link get} also sends a request for each of the last 10,000 written objects that the cache does
 * not contain. {@link list} reads only the cache. {@link get} applies the transform of the cache to every object of a
 * cached kind.
 */
export class CachedClient implements CachedReader, Writer {
  readonly #cache: Cache;
  readonly #liveClient: BackingClient;
  /** Written objects that the cache does not contain yet. */
  readonly #writtenObjects = new Map<string, KubernetesObject>();
  /**
   * Ids of objects whose last write has an unknown outcome. Until the cache is up to date, {@link get} reads these
   * objects from the API server.
   */
  readonly #uncertainIds = new TrackedIds();
  /** UIDs of deleted objects that the cache still contains, and that the client hides. */
  readonly #deletedUids = new TrackedIds();
  /** The writes that the cache has not received yet, by kind. */
  readonly #unobservedWritesByKind = new Map<string, UnobservedWrites<KubernetesObject>>();

  constructor(cache: Cache, liveClient: BackingClient) {
    this.#cache = cache;
    this.#liveClient = liveClient;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    if (!this.#cache.has(resource)) return this.#liveClient.get(resource, key, options);
    if (this.#uncertainIds.has(formatId(resource, key))) return this.#getUncertainObject(resource, key, options);
    const writtenObject = this.#writtenObjects.get(formatId(resource, key)) as T | undefined; // T follows from the resource
    const object = writtenObject ?? (await this.#cache.get(resource, key));
    return object !== undefined && this.#deletedUids.has(object.metadata.uid) ? undefined : object;
  }

  async #getUncertainObject<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    const liveObject = await this.#liveClient.get(resource, key, options);
    const cachedObject = await this.#cache.get(resource, key);
    const informer = this.#cache.informerFor(resource);
    const selectedObject = liveObject && informer.isInScope(liveObject) ? liveObject : undefined; // a write may change the labels
    const isCacheUpToDate =
      selectedObject === undefined
        ? cachedObject === undefined
        : cachedObject !== undefined && !isOlder(cachedObject, selectedObject);
    if (isCacheUpToDate) this.#uncertainIds.delete(formatId(resource, key));
    return selectedObject && informer.applyTransform(selectedObject);
  }

  readonly list: CachedReader['list'] = (resource, options) => {
    if (this.#cache.has(resource)) return this.#cache.list(resource, options);
    return this.#liveClient.list(resource, options as ListOptions<never> & ReadOptions); // throws for an index
  };

  readonly create: Writer['create'] = async (resource, object, options) => {
    const response = this.#liveClient.create(resource, object, options);
    const { namespace, name } = object.metadata;
    // The object has no name before the API server generates one.
    const key =
      name === undefined ? (await response).metadata : { name, ...(namespace !== undefined && { namespace }) };
    return this.#recordWrite(resource, key, response, options);
  };

  readonly update: Writer['update'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#liveClient.update(resource, object, options), options);

  readonly updateStatus: Writer['updateStatus'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#liveClient.updateStatus(resource, object, options), options);

  readonly patch: Writer['patch'] = async (resource, key, patch, options) =>
    this.#recordWrite(resource, key, this.#liveClient.patch(resource, key, patch, options), options);

  readonly apply: Writer['apply'] = async (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#liveClient.apply(resource, object, options), options);

  readonly delete: Writer['delete'] = async (resource, key, options) => {
    const response = this.#liveClient.requestDeletion(resource, key, options);
    if (!this.#cache.has(resource) || options?.dryRun) return void (await response);
    const deletion = await this.#trackOutcome(resource, key, response);
    if (deletion.kind === 'Pending') await this.#recordWrittenObject(resource, key, deletion.object);
    else await this.#recordDeletion(resource, key, deletion.uid);
  };

  readonly deleteAllOf: Writer['deleteAllOf'] = async (resource, options) => {
    if (!this.#cache.has(resource) || options.dryRun) return await this.#liveClient.deleteAllOf(resource, options);
    const { namespace, labelSelector } = options;
    const affectedObjects = await this.#cache.list<KubernetesObject>(resource, {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
    });
    this.#followCacheEvents(resource);
    try {
      await this.#liveClient.deleteAllOf(resource, options);
    } finally {
      for (const { metadata } of affectedObjects) this.#uncertainIds.add(formatId(resource, metadata), true);
    }
  };

  readonly getSubresource: Writer['getSubresource'] = (resource, key, subresource, options) =>
    this.#liveClient.getSubresource(resource, key, subresource, options);

  readonly createSubresource: Writer['createSubresource'] = (resource, key, subresource, body, options) => {
    const response = this.#liveClient.createSubresource(resource, key, subresource, body, options);
    return this.#recordSubresourceWrite(resource, key, response, options);
  };

  readonly updateSubresource: Writer['updateSubresource'] = (resource, key, subresource, body, options) => {
    const response = this.#liveClient.updateSubresource(resource, key, subresource, body, options);
    return this.#recordSubresourceWrite(resource, key, response, options);
  };

  /** The response does not contain the object, which may have changed. */
  async #recordSubresourceWrite<A>(
    resource: Resource,
    key: ObjectKey,
    response: Promise<A>,
    options?: WriteOptions,
  ): Promise<A> {
    if (!this.#cache.has(resource) || options?.dryRun) return await response;
    const result = await this.#trackOutcome(resource, key, response);
    await this.#addUncertainId(resource, key);
    return result;
  }

  async #recordWrite<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    response: Promise<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (!this.#cache.has(resource) || options?.dryRun) return await response;
    const writtenObject = await this.#trackOutcome(resource, key, response);
    if (writtenObject.kind !== resource.kind)
      await this.#addUncertainId(resource, key); // a subresource, such as a Scale
    else if (isDeleted(writtenObject)) await this.#recordDeletion(resource, key, writtenObject.metadata.uid);
    else await this.#recordWrittenObject(resource, key, writtenObject);
    return writtenObject;
  }

  /** Awaits the response to a write. After a failed write, {@link get} reads the object from the API server. */
  async #trackOutcome<A>(resource: Resource, key: ObjectKey, response: Promise<A>): Promise<A> {
    this.#followCacheEvents(resource);
    try {
      return await response;
    } catch (error) {
      await this.#addUncertainId(resource, key);
      throw error;
    }
  }

  async #addUncertainId(resource: Resource, key: ObjectKey): Promise<void> {
    const id = formatId(resource, key);
    this.#uncertainIds.add(id, false); // set before the next await, because a read may run during it
    if ((await this.#cache.get(resource, key)) !== undefined) this.#uncertainIds.setCached(id, true);
  }

  /** Stores a written object until the cache contains it. */
  async #recordWrittenObject<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    writtenObject: T,
  ): Promise<void> {
    const id = formatId(resource, key);
    const cachedObject = await this.#cache.get(resource, key);
    this.#writtenObjects.delete(id);
    this.#uncertainIds.delete(id);
    if (cachedObject !== undefined && !isOlder(cachedObject, writtenObject)) return;
    const transformedObject = this.#cache.informerFor(resource).applyTransform(writtenObject);
    this.#followCacheEvents(resource).add(transformedObject);
    if (cachedObject !== undefined) this.#writtenObjects.set(id, transformedObject);
    else this.#uncertainIds.add(id, false); // the object is deleted, not yet cached, or out of scope
  }

  /**
   * Hides a deleted object until the cache receives the deletion.
   * @param uid UID of the deleted object, if known.
   */
  async #recordDeletion(resource: Resource, key: ObjectKey, uid: string | undefined): Promise<void> {
    const id = formatId(resource, key);
    const cachedObject = await this.#cache.get(resource, key);
    const visibleObjects = [cachedObject, this.#writtenObjects.get(id)];
    this.#writtenObjects.delete(id);
    this.#uncertainIds.delete(id);
    if (uid !== undefined) this.#deletedUids.add(uid, cachedObject?.metadata.uid === uid);
    // An object with the same name and another UID is an earlier object, which is also deleted, or a later one.
    const isUncertain =
      uid === undefined || visibleObjects.some((object) => object && !this.#deletedUids.has(object.metadata.uid));
    if (isUncertain) this.#uncertainIds.add(id, cachedObject !== undefined);
  }

  /** Deletes a written object from this client as soon as the cache contains it or a newer version. */
  #followCacheEvents(resource: Resource): UnobservedWrites<KubernetesObject> {
    const groupVersionResource = formatGroupVersionResource(resource);
    const existingWrites = this.#unobservedWritesByKind.get(groupVersionResource);
    if (existingWrites !== undefined) return existingWrites;
    const unobservedWrites = new UnobservedWrites<KubernetesObject>();
    this.#unobservedWritesByKind.set(groupVersionResource, unobservedWrites);
    const recordObservedObject = (object: KubernetesObject) => {
      unobservedWrites.delete(object);
      const id = formatId(resource, object.metadata);
      this.#deletedUids.setCached(object.metadata.uid, true);
      this.#uncertainIds.setCached(id, true);
      const writtenObject = this.#writtenObjects.get(id);
      if (writtenObject !== undefined && !isOlder(object, writtenObject)) this.#writtenObjects.delete(id);
    };
    this.#cache.informerFor(resource).addEventHandler({
      findWritten: (resourceVersion) => unobservedWrites.get(resourceVersion),
      onRelist: () => {
        // After a restore of etcd, old resource versions may be reused, and the written object may be missing.
        unobservedWrites.clear();
        for (const id of [...this.#writtenObjects.keys()].filter((id) => id.startsWith(`${groupVersionResource}/`))) {
          this.#writtenObjects.delete(id);
          this.#uncertainIds.add(id, true);
        }
        this.#recheckDeletedObjects(resource);
      },
      onAdd: recordObservedObject,
      onUpdate: (oldObject, object) => {
        if (oldObject.metadata.uid !== object.metadata.uid) this.#deletedUids.delete(oldObject.metadata.uid);
        recordObservedObject(object);
      },
      onDelete: ({ metadata }) => {
        const id = formatId(resource, metadata);
        this.#deletedUids.delete(metadata.uid);
        const writtenObject = this.#writtenObjects.get(id);
        this.#writtenObjects.delete(id);
        this.#uncertainIds.setCached(id, false);
        // The written object was created after the deletion, and may be deleted by now.
        if (writtenObject !== undefined && writtenObject.metadata.uid !== metadata.uid)
          this.#uncertainIds.add(id, false);
      },
    });
    return unobservedWrites;
  }

  /** Finds deleted objects that exist again, for example after a restore of etcd. */
  #recheckDeletedObjects(resource: Resource): void {
    if (this.#deletedUids.cachedCount === 0) return;
    for (const { metadata } of this.#cache.informerFor(resource).store.list()) {
      if (!this.#deletedUids.has(metadata.uid)) continue;
      this.#deletedUids.delete(metadata.uid);
      this.#uncertainIds.add(formatId(resource, metadata), true);
    }
  }
}

/** Resource versions of one kind can be compared as numbers (Kubernetes enhancement 5504). */
function isOlder(cachedObject: KubernetesObject, writtenObject: KubernetesObject): boolean {
  return BigInt(cachedObject.metadata.resourceVersion) < BigInt(writtenObject.metadata.resourceVersion);
}

function formatId(resource: Resource, key: ObjectKey): string {
  return `${formatGroupVersionResource(resource)}/${formatKey(key)}`;
}
