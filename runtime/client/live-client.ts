/** The client that asks the API server every time. */
import type { KubernetesObject, ObjectToCreate, SpecOf } from '../kubernetes/object.ts';
import { apiVersionOf, type InputResource, type KeyOf, pathOf, type Resource } from '../kubernetes/resource.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  LiveListOptions,
  LiveReader,
  PatchOptions,
  ReadOptions,
  StatusUpdate,
  WriteOptions,
  Writer,
} from './client.ts';
import { type Deletion, deletionOf } from './deletion.ts';
import { isNotFound } from './errors.ts';
import { ParsedLabelSelector } from './label-selector.ts';
import { type ListPage, listPages } from './list-pages.ts';
import type { ApplyConfiguration, JsonPatchOperation, Patch } from './patch.ts';
import type { ApiRequest, Transport } from './transport.ts';

export interface LiveClientOptions {
  /** The name that `managedFields` records writes under, such as the operator's. At most 128 characters. */
  readonly fieldManager: string;
}

export class LiveClient implements LiveReader, Writer {
  readonly #transport: Transport;
  readonly #fieldManager: string;

  constructor(transport: Transport, { fieldManager }: LiveClientOptions) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, name }: KeyOf<T>,
    options: ReadOptions = {},
  ): Promise<T | undefined> {
    const path = pathOf(resource, namespace, name);
    const request = { ...forwarded(options), method: 'GET', path, namespace } as const;
    try {
      return parsed(resource, (await this.#transport.request(request)) as T);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: LiveListOptions<NoInfer<T>> & ReadOptions = {},
  ): Promise<readonly T[]> {
    // A client that has a cache may ask for a kind that it does not hold.
    if (options.index)
      throw new TypeError(`list: ${resource.plural} are not cached, and only the cache has field indexes`);
    const { namespace, labelSelector, fieldSelector, limit } = options;
    const labels = labelSelector === undefined ? undefined : String(new ParsedLabelSelector(labelSelector));
    const path = pathOf(resource, namespace);
    const selectors = { labelSelector: labels || undefined, fieldSelector };
    const { objects } = await listPages({
      limit,
      read: async (page) => {
        const request = {
          ...forwarded(options),
          method: 'GET',
          path,
          query: { ...page, ...selectors },
          namespace,
        } as const;
        return (await this.#transport.request(request)) as ListPage<T>;
      },
      kept: (item) => parsed(resource, withType(resource, item)),
    });
    return objects;
  }

  create<T extends KubernetesObject, SpecInput = SpecOf<T>>(
    resource: InputResource<T, SpecInput>,
    object: ObjectToCreate<NoInfer<T>, NoInfer<SpecInput>>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { namespace } = object.metadata;
    const body = { ...typeOf(resource), ...object };
    return this.#write<T>({ method: 'POST', path: pathOf(resource, namespace), namespace, body }, options);
  }

  update<T extends KubernetesObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    return this.#write<T>({ method: 'PUT', path: pathOf(resource, namespace, name), namespace, body: object }, options);
  }

  updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    { metadata, status }: StatusUpdate<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { name, namespace, uid, resourceVersion } = metadata;
    const path = pathOf(resource, namespace, name, 'status');
    if (resource.isCustomResource) {
      const body = { ...typeOf(resource), metadata: { name, namespace, uid, resourceVersion }, status };
      return this.#write<T>({ method: 'PUT', path, namespace, body }, options);
    }
    // A merge patch would leave in place what the status no longer has.
    const body: readonly JsonPatchOperation[] = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value: status },
    ];
    return this.#write<T>({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES.json }, options);
  }

  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, name }: KeyOf<T>,
    { kind, body }: Patch<T>,
    options: PatchOptions = {},
  ): Promise<T> {
    const path = pathOf(resource, namespace, name, options.subresource);
    return this.#write<T>({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES[kind] }, options);
  }

  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: ApplyConfiguration<T>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = pathOf(resource, namespace, name, options.subresource);
    const body = { ...typeOf(resource), ...object };
    return this.#write<T>({ method: 'PATCH', path, namespace, body, contentType: CONTENT_TYPES.apply }, options);
  }

  async delete<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyOf<T>,
    options?: DeleteOptions,
  ): Promise<void> {
    await this.requestDeletion(resource, key, options);
  }

  /** As {@link delete}; says what became of the object. */
  async requestDeletion<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, name }: KeyOf<T>,
    options: DeleteOptions = {},
  ): Promise<Deletion<T>> {
    const { propagationPolicy, preconditions } = options;
    const answer = await this.#transport.request({
      ...forwarded(options),
      method: 'DELETE',
      path: pathOf(resource, namespace, name),
      namespace,
      query: { dryRun: options.dryRun ? 'All' : undefined },
      body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions },
    });
    return deletionOf(answer);
  }

  async #write<T>(
    request: Pick<ApiRequest, 'method' | 'path' | 'namespace' | 'body' | 'contentType'>,
    { dryRun, fieldManager = this.#fieldManager, fieldValidation, force, ...options }: ApplyOptions,
  ): Promise<T> {
    return (await this.#transport.request({
      ...forwarded(options),
      ...request,
      query: { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, force },
    })) as T;
  }
}

const CONTENT_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML; the server knows the body by this name
} as const;

function forwarded(options: ReadOptions): Pick<ApiRequest, keyof ReadOptions> {
  const { priority, signal, timeoutMs, maxAnswerBytes } = options;
  return { priority, signal, timeoutMs, ...(maxAnswerBytes !== undefined && { maxAnswerBytes }) };
}

function typeOf(resource: Resource): Pick<KubernetesObject, 'apiVersion' | 'kind'> {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** The object as {@link Resource.parse} returns it. */
export function parsed<T extends KubernetesObject>(resource: Resource<T>, object: T): T {
  return resource.parse?.(object) ?? object;
}

/** Puts back what list answers leave out, so that listed, watched and fetched objects have the same shape. */
export function withType<T extends KubernetesObject>(resource: Resource<T>, item: T): T {
  return { ...item, ...typeOf(resource) };
}
