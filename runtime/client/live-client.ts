import type { KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import { formatApiVersion, type KeyFor, type ObjectKey, type Resource, resourcePath } from '../kubernetes/resource.ts';
import type { Subresource } from '../kubernetes/subresource.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  LiveListOptions,
  LiveReader,
  ReadOptions,
  WriteOptions,
  Writer,
} from './client.ts';
import { isNotFound } from './errors.ts';
import { formatLabelQuery } from './label-selector.ts';
import { type ListPage, listPages } from './list-pages.ts';
import { type DeletionResult, parseDeletion } from './parse-deletion.ts';
import type { JsonPatchOperation } from './patch.ts';
import type { ApiRequest, Transport } from './transport.ts';

/** Options of {@link LiveClient}. */
export interface LiveClientOptions {
  /** Field manager of all writes, such as the name of the operator. At most 128 characters. */
  readonly fieldManager: string;
}

/** A client that reads from the API server instead of a cache. */
export class LiveClient implements LiveReader, Writer {
  readonly #transport: Transport;
  readonly #fieldManager: string;

  constructor(transport: Transport, { fieldManager }: LiveClientOptions) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  readonly get: LiveReader['get'] = async (resource, { namespace, name }, options = {}) => {
    const path = resourcePath(resource, namespace, name);
    try {
      return parseObject(
        resource,
        await this.#send({ ...pickRequestOptions(options), method: 'GET', path, namespace }),
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: LiveListOptions<NoInfer<T>> & ReadOptions = {},
  ): Promise<readonly T[]> {
    // The options may contain an index, because a cached client uses this client for kinds that are not cached.
    if (options.index)
      throw new TypeError(`list: ${resource.plural} are not cached, and only the cache has field indexes`);
    const { namespace, labelSelector, fieldSelector, limit } = options;
    const path = resourcePath(resource, namespace);
    const selectors = { labelSelector: formatLabelQuery(labelSelector), fieldSelector };
    const { objects } = await listPages({
      limit,
      read: (pageQuery) => {
        const query = { ...pageQuery, ...selectors };
        return this.#send<ListPage<typeof resource.objectType & {}>>({
          ...pickRequestOptions(options),
          method: 'GET',
          path,
          query,
          namespace,
        });
      },
      convert: (item) => parseObject(resource, withTypeMeta(resource, item)),
    });
    return objects;
  }

  readonly create: Writer['create'] = (resource, object, options = {}) => {
    const { namespace } = object.metadata;
    const body = { ...getTypeMeta(resource), ...object };
    return this.#write({ method: 'POST', path: resourcePath(resource, namespace), namespace, body }, options);
  };

  readonly update: Writer['update'] = (resource, object, options = {}) => {
    const { namespace, name } = object.metadata;
    return this.#write(
      { method: 'PUT', path: resourcePath(resource, namespace, name), namespace, body: object },
      options,
    );
  };

  readonly updateStatus: Writer['updateStatus'] = (resource, { metadata, status, spec }, options = {}) => {
    const { name, namespace, uid, resourceVersion } = metadata;
    const path = resourcePath(resource, namespace, name, 'status');
    if (resource.isCustomResource) {
      const { managedFields: _, ...wholeMetadata }: Partial<ObjectMeta> = metadata;
      const fields =
        spec === undefined
          ? { metadata: { name, namespace, uid, resourceVersion } }
          : { metadata: wholeMetadata, spec };
      const body = { ...getTypeMeta(resource), ...fields, status };
      return this.#write({ method: 'PUT', path, namespace, body }, options);
    }
    // A merge patch would not remove fields that are absent in the new status.
    const body: readonly JsonPatchOperation[] = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value: status },
    ];
    return this.#write({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES.json }, options);
  };

  readonly patch: Writer['patch'] = (resource, { namespace, name }, { kind, body }, options = {}) => {
    const path = resourcePath(resource, namespace, name, options.subresource);
    return this.#write({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES[kind] }, options);
  };

  readonly apply: Writer['apply'] = (resource, object, options = {}) => {
    const { namespace, name } = object.metadata;
    const path = resourcePath(resource, namespace, name, options.subresource);
    const body = { ...getTypeMeta(resource), ...object };
    return this.#write({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES.apply }, options);
  };

  readonly delete: Writer['delete'] = async (resource, key, options) => {
    await this.requestDeletion(resource, key, options);
  };

  /** Like {@link delete}, but also returns whether the object still exists. */
  async requestDeletion<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, name }: KeyFor<T>,
    options: DeleteOptions = {},
  ): Promise<DeletionResult<T>> {
    return parseDeletion(await this.#delete(resourcePath(resource, namespace, name), namespace, options));
  }

  readonly deleteAllOf: Writer['deleteAllOf'] = async (resource, options) => {
    const { namespace, labelSelector, fieldSelector } = options;
    if (resource.namespaced && namespace === undefined)
      throw new TypeError(`deleteAllOf: ${resource.plural} are namespaced; give the option namespace`);
    const selectors = { labelSelector: formatLabelQuery(labelSelector), fieldSelector };
    await this.#delete(resourcePath(resource, namespace), namespace, options, selectors);
  };

  #delete(
    path: string,
    namespace: string | undefined,
    { dryRun, propagationPolicy, gracePeriodSeconds, preconditions, ...options }: DeleteOptions,
    selectors: Readonly<Record<string, string | undefined>> = {},
  ): Promise<unknown> {
    // The API server ignores the options in the query if the request has a body.
    const deleteOptions = { propagationPolicy, gracePeriodSeconds, preconditions, ...(dryRun && { dryRun: ['All'] }) };
    return this.#transport.request({
      ...pickRequestOptions(options),
      method: 'DELETE',
      path,
      namespace,
      query: { dryRun: dryRun ? 'All' : undefined, ...selectors },
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions },
    });
  }

  readonly getSubresource: Writer['getSubresource'] = (resource, { namespace, name }, subresource, options = {}) => {
    const path = resourcePath(resource, namespace, name, subresource.name);
    return this.#send({ ...pickRequestOptions(options), method: 'GET', path, namespace });
  };

  readonly createSubresource: Writer['createSubresource'] = (resource, key, subresource, body, options) =>
    this.#writeSubresource('POST', resource, key, { subresource, body, options });

  readonly updateSubresource: Writer['updateSubresource'] = (resource, key, subresource, body, options) =>
    this.#writeSubresource('PUT', resource, key, { subresource, body, options });

  #writeSubresource<Input extends object, Output>(
    method: 'POST' | 'PUT',
    resource: Resource,
    { namespace, name }: ObjectKey,
    { subresource, body, options = {} }: SubresourceWrite<Input, Output>,
  ): Promise<Output> {
    const { metadata } = body as { readonly metadata?: object };
    return this.#write(
      {
        method,
        path: resourcePath(resource, namespace, name, subresource.name),
        namespace,
        body: {
          apiVersion: subresource.apiVersion,
          kind: subresource.kind,
          ...body,
          metadata: { ...metadata, name, namespace },
        },
      },
      options,
    );
  }

  #write<T>(
    request: Pick<ApiRequest, 'method' | 'path' | 'namespace' | 'body' | 'contentType'>,
    { dryRun, fieldManager = this.#fieldManager, fieldValidation, force, ...options }: ApplyOptions,
  ): Promise<T> {
    const query = { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, force };
    return this.#send({ ...pickRequestOptions(options), ...request, query });
  }

  #send<A>(request: ApiRequest): Promise<A> {
    return this.#transport.request(request) as Promise<A>;
  }
}

interface SubresourceWrite<Input extends object, Output> {
  readonly subresource: Subresource<Input, Output>;
  readonly body: Input;
  readonly options: WriteOptions | undefined;
}

const CONTENT_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml', // the API server requires this media type; JSON is valid YAML
} as const;

function pickRequestOptions(options: ReadOptions): Pick<ApiRequest, keyof ReadOptions> {
  const { priority, signal, timeoutMs, maxResponseBytes } = options;
  return { priority, signal, timeoutMs, ...(maxResponseBytes !== undefined && { maxResponseBytes }) };
}

function getTypeMeta(resource: Resource): Pick<KubernetesObject, 'apiVersion' | 'kind'> {
  return { apiVersion: formatApiVersion(resource), kind: resource.kind };
}

export function parseObject<T extends KubernetesObject>(resource: Resource<T>, object: T): T {
  return resource.parse?.(object) ?? object;
}

/** Adds `apiVersion` and `kind` to an item of a list, because the API server omits these fields in lists. */
export function withTypeMeta<T extends KubernetesObject>(resource: Resource<T>, item: T): T {
  return { ...item, ...getTypeMeta(resource) };
}
