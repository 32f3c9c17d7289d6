import type { CachedReader, Client, ListOptions, ReadOptions, WriteOptions, Writer } from '../client/client.ts';
import type { LiveClient } from '../client/live-client.ts';
import { isDeleted } from '../client/parse-deletion.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatGroupVersionResource, type KeyFor, type ObjectKey, type Resource } from '../kubernetes/resource.ts';
import type { Cache } from './cache.ts';
import { OwnWrites } from './own-writes.ts';

/** The client that sends requests to the API server. */
export interface ApiServerClient extends Client, Pick<LiveClient, 'requestDeletion'> {}

/**
 * A client for reconcilers. The client reads objects from the cache if their kind has an informer, and otherwise from
 * the API server. All writes go to the API server.
 *
 * A reconciler always reads its own writes, although the watch may deliver the changes later. Until the cache contains
 * a change by this client, {@link get} and {@link list} return the written object, or omit the deleted object. The
 * client stores at most 10,000 written objects of a kind.
 *
 * After a failed write, after a write of a subresource, and after {@link deleteAllOf}, {@link get} reads the object
 * from the API server, because the client does not know the state of the object. {@link get} also sends a request for a
 * written object that the cache does not contain. The client remembers the names of the last 10,000 written objects of
 * a kind that the cache does not contain. {@link list} sends no request for a cached kind. The transform of the cache
 * applies to every object of a cached kind.
 */
export class CachedClient implements CachedReader, Writer {
  readonly #cache: Cache;
  readonly #liveClient: ApiServerClient;
  /** The writes that the cache may not contain yet, by kind. */
  readonly #ownWritesByKind = new Map<string, OwnWrites<KubernetesObject>>();

  constructor(cache: Cache, liveClient: ApiServerClient) {
    this.#cache = cache;
    this.#liveClient = liveClient;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    if (!this.#cache.has(resource)) return this.#liveClient.get(resource, key, options);
    const ownWrites = this.#findOwnWrites(resource);
    if (ownWrites === undefined) return this.#cache.get(resource, key);
    if (ownWrites.isUncertain(key)) {
      return ownWrites.resolveUncertainty(key, await this.#liveClient.get(resource, key, options));
    }
    const object = ownWrites.getPending(key) ?? (await this.#cache.get(resource, key));
    return object !== undefined && ownWrites.isDeleted(object) ? undefined : object;
  }

  readonly list: CachedReader['list'] = (resource, options) => {
    if (!this.#cache.has(resource)) return this.#liveClient.list(resource, options as ListOptions<never> & ReadOptions); // throws if the options contain an index
    const ownWrites = this.#findOwnWrites(resource);
    const listing = this.#cache.list(resource, options);
    if (ownWrites === undefined || ownWrites.isEmpty) return listing;
    return listing.then((cachedObjects) => ownWrites.merge(cachedObjects, options));
  };

  readonly create: Writer['create'] = (resource, object, options) =>
    this.#recordWrite(resource, object.metadata, this.#liveClient.create(resource, object, options), options);

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
    const ownWrites = this.#getOwnWrites(resource);
    const deletion = await awaitWriteResponse(ownWrites, key, response);
    if (deletion.kind === 'Pending') ownWrites.recordWrittenObject(deletion.object);
    else ownWrites.recordDeletion(key, deletion.uid);
  };

  readonly deleteAllOf: Writer['deleteAllOf'] = async (resource, options) => {
    const { namespace, labelSelector } = options;
    const selector = { namespace, labelSelector } as ListOptions<never>; // the options of the caller
    const affectedObjects =
      this.#cache.has(resource) && !options.dryRun ? await this.list<KubernetesObject>(resource, selector) : [];
    try {
      await this.#liveClient.deleteAllOf(resource, options);
    } finally {
      for (const { metadata } of affectedObjects) this.#getOwnWrites(resource).recordUncertainWrite(metadata);
    }
  };

  readonly getSubresource: Writer['getSubresource'] = (...args) => this.#liveClient.getSubresource(...args);

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
    try {
      return await response;
    } finally {
      if (this.#cache.has(resource) && !options?.dryRun) this.#getOwnWrites(resource).recordUncertainWrite(key);
    }
  }

  /** @param key Key of the object, without a name if the API server generates it. */
  async #recordWrite<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, name }: { readonly [K in keyof ObjectKey]?: ObjectKey[K] | undefined },
    response: Promise<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (!this.#cache.has(resource) || options?.dryRun) return await response;
    const ownWrites = this.#getOwnWrites(resource);
    // The object has no name before the API server generates one.
    const key = name === undefined ? undefined : { name, ...(namespace !== undefined && { namespace }) };
    const writtenObject = await awaitWriteResponse(ownWrites, key, response);
    const { metadata } = writtenObject;
    if (writtenObject.kind !== resource.kind)
      ownWrites.recordUncertainWrite(metadata); // a subresource, such as a Scale
    else if (isDeleted(writtenObject)) ownWrites.recordDeletion(metadata, metadata.uid);
    else ownWrites.recordWrittenObject(writtenObject);
    return writtenObject;
  }

  #findOwnWrites<T extends KubernetesObject>(resource: Resource<T>): OwnWrites<T> | undefined {
    // T follows from the resource
    return this.#ownWritesByKind.get(formatGroupVersionResource(resource)) as OwnWrites<T> | undefined;
  }

  /** Starts to follow the cache before the response to the first write, so that no event is missed. */
  #getOwnWrites<T extends KubernetesObject>(resource: Resource<T>): OwnWrites<T> {
    const existingWrites = this.#findOwnWrites(resource);
    if (existingWrites !== undefined) return existingWrites;
    const ownWrites = new OwnWrites(this.#cache.informerFor(resource));
    const anyWrites = ownWrites as unknown as OwnWrites<KubernetesObject>; // T follows from the resource
    this.#ownWritesByKind.set(formatGroupVersionResource(resource), anyWrites);
    return ownWrites;
  }
}

/** Awaits the response to a write. After a failed write, a get reads the object from the API server. */
async function awaitWriteResponse<T extends KubernetesObject, A>(
  ownWrites: OwnWrites<T>,
  key: ObjectKey | undefined,
  response: Promise<A>,
): Promise<A> {
  try {
    return await response;
  } catch (error) {
    if (key !== undefined) ownWrites.recordUncertainWrite(key);
    throw error;
  }
}
