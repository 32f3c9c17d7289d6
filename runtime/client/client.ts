/**
 * Typed interfaces of clients of the Kubernetes API. A cached client reads from informers, and writes to the API
 * server.
 */
import type {
  ClusterObject,
  KubernetesObject,
  NamespacedObject,
  ObjectMeta,
  ObjectToCreate,
  SpecOf,
} from '../kubernetes/object.ts';
import type { InputResource, KeyFor, Resource } from '../kubernetes/resource.ts';
import type { Subresource } from '../kubernetes/subresource.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ApplyConfiguration, Patch } from './patch.ts';
import type { RequestPriority } from './request-limiter.ts';

/** Options of {@link Reader.list} that every reader supports. */
export interface ListOptions<T extends KubernetesObject = KubernetesObject> {
  /** Namespace of the objects. Default: all namespaces. Not allowed for cluster-scoped kinds. */
  readonly namespace?: NamespaceOf<T>;
  /** Label selector as a text, such as `app=web,tier in (front,back),!legacy`, or as an object. */
  readonly labelSelector?: LabelSelector;
  /** Only {@link CachedListOptions} support an index. */
  readonly index?: never;
  /** Only {@link LiveListOptions} support a field selector. */
  readonly fieldSelector?: never;
  /** Only {@link LiveListOptions} support a limit. */
  readonly limit?: never;
}

/** The type of a namespace: `never` for cluster-scoped kinds. */
export type NamespaceOf<T extends KubernetesObject> = T extends ClusterObject ? never : string;

/** Options of {@link CachedReader.list}. The cache supports field indexes instead of field selectors. */
export interface CachedListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'index'> {
  /** Lists only objects that have `value` in the field index `name`. The cache must have an index of this name. */
  readonly index?: { readonly name: string; readonly value: string };
}

/** Options of {@link LiveReader.list}. The API server supports field selectors instead of field indexes. */
export interface LiveListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'fieldSelector' | 'limit'> {
  /** Field selector, such as `spec.nodeName=n`. The kind determines the supported fields. */
  readonly fieldSelector?: string;
  /**
   * Maximum number of objects. The API server returns the objects in the order of their names. At least 1. Default: all
   * objects, in several requests if necessary.
   */
  readonly limit?: number;
}

/** Reads objects from the cache or the API server. */
export interface Reader {
  /** Returns the object, or `undefined` if it does not exist. Throws {@link ApiError} and transport errors. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: KeyFor<T>, options?: ReadOptions): Promise<T | undefined>;
  /** Returns the objects in an unspecified order. Throws {@link ApiError} and transport errors. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: ListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/**
 * Reads cached kinds from the cache, and other kinds from the API server. For cached kinds, finds only objects in the
 * scope of the cache.
 */
export interface CachedReader extends Reader {
  /** Lists objects from the cache. Throws an error if the cache has no index with the name in the options. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: CachedListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/** Always reads from the API server. */
export interface LiveReader extends Reader {
  /** Lists objects from the API server, in pages. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: LiveListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/** Options of requests. A read from the cache ignores the options, because it sends no request. */
export interface ReadOptions {
  /** Priority of the request among the requests that wait for a connection. Default `normal`. */
  readonly priority?: RequestPriority;
  /** Aborts the request. Default: only the timeout aborts the request. */
  readonly signal?: AbortSignal;
  /** Maximum time from the start of a request to the end of its response, in milliseconds. Default 65 s. */
  readonly timeoutMs?: number;
  /**
   * Maximum size of a response in bytes. If a response is larger, the call rejects with a {@link
   * ResponseTooLargeError}. Default: no limit.
   */
  readonly maxResponseBytes?: number;
}

/** Options of all writes. */
export interface WriteOptions extends ReadOptions {
  /** The API server validates the request, but does not store the object. Default false. */
  readonly dryRun?: boolean;
  /**
   * How the API server treats unknown fields: `Ignore` removes the fields, `Warn` removes the fields and sends a
   * warning, and `Strict` rejects the request. Default `Warn`.
   */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** Options of {@link Writer.delete}. */
export interface DeleteOptions extends WriteOptions {
  /** Whether and when the API server deletes the dependents of the object. The default depends on the kind. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /**
   * Grace period before the object is removed. For example, the containers of a Pod stop during this period. The
   * default depends on the kind.
   */
  readonly gracePeriodSeconds?: number;
  /**
   * The API server rejects the deletion with 409 if the UID or the resource version of the object differs from the
   * precondition.
   */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of {@link Writer.deleteAllOf}: which objects to delete, and how. */
export type DeleteAllOfOptions<T extends KubernetesObject> = Omit<DeleteOptions, 'preconditions'> &
  Pick<LiveListOptions<T>, 'labelSelector' | 'fieldSelector'> &
  (T extends NamespacedObject ? { readonly namespace: string } : { readonly namespace?: NamespaceOf<T> });

/** Options of {@link Writer.patch}. */
export interface PatchOptions extends WriteOptions {
  /** A subresource, such as `status` or `scale`. Default: the main resource. */
  readonly subresource?: string;
}

/** Options of {@link Writer.apply}, which is server-side apply. */
export interface ApplyOptions extends PatchOptions {
  /** Field manager that owns the fields. Default: the field manager of the client. */
  readonly fieldManager?: string;
  /**
   * Whether to take over fields that another field manager owns. If false, the API server responds with 409 to a
   * request that sets a field of another field manager. Controllers should set this option to true. Default false.
   */
  readonly force?: boolean;
}

/** The input of {@link Writer.updateStatus}: the identity of an object, its resource version, and its whole status. */
export interface StatusUpdate<T extends KubernetesObject> {
  /**
   * The key, the UID and the resource version of the object. The update fails if the UID or the resource version
   * differs from the stored object.
   */
  readonly metadata: KeyFor<T> & Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  /** The whole new status. The API server removes fields that the new status does not contain. */
  readonly status: T extends { readonly status?: infer S } ? Exclude<S, undefined> : never;
  /**
   * The spec of the object, which the update does not change. Set the spec and the whole metadata for a kind with several versions,
   * because the API server converts the object to find out which fields the update changes. Default: absent.
   */
  readonly spec?: SpecOf<T>;
}

/** Reads and writes subresources through the API server. Throws {@link ApiError} and transport errors. */
export interface SubresourceClient {
  /** Reads a subresource of an object, such as its {@link Scale}. */
  getSubresource<T extends KubernetesObject, Input extends object, Output>(
    resource: Resource<T>,
    key: KeyFor<T>,
    subresource: Subresource<Input, Output>,
    options?: ReadOptions,
  ): Promise<Output>;
  /** Sends a body to a subresource that accepts new objects, such as `eviction`. Returns the response. */
  createSubresource<T extends KubernetesObject, Input extends object, Output>(
    resource: Resource<T>,
    key: KeyFor<T>,
    subresource: Subresource<Input, Output>,
    body: NoInfer<Input>,
    options?: WriteOptions,
  ): Promise<Output>;
  /** Replaces a subresource, such as `scale`. Returns the stored subresource. */
  updateSubresource<T extends KubernetesObject, Input extends object, Output>(
    resource: Resource<T>,
    key: KeyFor<T>,
    subresource: Subresource<Input, Output>,
    body: NoInfer<Input>,
    options?: WriteOptions,
  ): Promise<Output>;
}

/** Writes objects. Each method returns the stored object, and throws {@link ApiError} and transport errors. */
export interface Writer extends SubresourceClient {
  /**
   * Creates an object. Throws an {@link ApiError} with reason AlreadyExists if the name is taken. The API server sets
   * absent fields to their defaults.
   */
  create<T extends KubernetesObject, SpecInput = SpecOf<T>>(
    resource: InputResource<T, SpecInput>,
    object: ObjectToCreate<NoInfer<T>, NoInfer<SpecInput>>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the object. Throws a conflict if the resource version is not the latest. */
  update<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /**
   * Replaces only the status. Throws a conflict if the resource version is not the latest. Requires the verb `update`
   * for the status of a custom resource ({@link Resource.isCustomResource}). For other kinds, such as Pods, sends a
   * patch and requires the verb `patch`, because an update of the status would also replace labels, annotations and
   * finalizers.
   */
  updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    statusUpdate: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Changes the fields in the patch, and resolves to the whole object. */
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    patch: Patch<T>,
    options?: PatchOptions,
  ): Promise<T>;
  /**
   * Creates or changes the object by server-side apply. The request sets the fields of `object`. Throws a conflict if
   * another field manager owns one of the fields.
   */
  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: ApplyConfiguration<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  /**
   * Deletes an object. Rejects with 404 if the object does not exist. To ignore a missing object, use `ignoreNotFound`.
   */
  delete<T extends KubernetesObject>(resource: Resource<T>, key: KeyFor<T>, options?: DeleteOptions): Promise<void>;
  /**
   * Deletes all objects of a kind that the selectors match. If the kind is namespaced, deletes only objects in one namespace.
   * Requires the verb `deletecollection`.
   */
  deleteAllOf<T extends KubernetesObject>(
    resource: Resource<T>,
    options: DeleteAllOfOptions<NoInfer<T>>,
  ): Promise<void>;
}

/** A client that writes objects, and reads objects from a cache or from the API server. */
export interface Client extends Reader, Writer {}
