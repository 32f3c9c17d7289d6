/** The typed client that reconcilers call. A cached client reads from the informers and writes to the server. */
import type { ClusterObject, KubernetesObject, ObjectMeta, ObjectToCreate, SpecOf } from '../kubernetes/object.ts';
import type { InputResource, KeyFor, Resource } from '../kubernetes/resource.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ApplyConfiguration, Patch } from './patch.ts';
import type { RequestPriority } from './request-limiter.ts';

/** Which objects to list, for every reader. */
export interface ListOptions<T extends KubernetesObject = KubernetesObject> {
  /** Only this namespace. All namespaces when absent. Not for cluster-scoped kinds. */
  readonly namespace?: NamespaceOf<T>;
  /** A selector such as `app=web,tier in (front,back),!legacy`, or an object. */
  readonly labelSelector?: LabelSelector;
  /** Only {@link CachedListOptions} have one. */
  readonly index?: never;
  /** Only {@link LiveListOptions} have one. */
  readonly fieldSelector?: never;
  /** Only {@link LiveListOptions} have one. */
  readonly limit?: never;
}

/** `never` for cluster-scoped kinds. */
export type NamespaceOf<T extends KubernetesObject> = T extends ClusterObject ? never : string;

/** Which objects to list from the cache. It has no field selectors: add an index instead. */
export interface CachedListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'index'> {
  /** Only objects whose field index `name` has `value`. The index must have been added. */
  readonly index?: { readonly name: string; readonly value: string };
}

/** Which objects to list from the API server, which has no indexes. */
export interface LiveListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'fieldSelector' | 'limit'> {
  /** A selector such as `spec.nodeName=n`. Supported fields depend on the kind; custom resources declare theirs. */
  readonly fieldSelector?: string;
  /**
   * Maximum number of objects to list, in the order of their names; at least 1. Default: all, in as many requests as
   * needed.
   */
  readonly limit?: number;
}

/** Reads objects from the cache or the API server. */
export interface Reader {
  /** Returns the object, or `undefined` when it does not exist. Throws ApiError and transport errors. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: KeyFor<T>, options?: ReadOptions): Promise<T | undefined>;
  /** Returns the objects in no particular order. Throws ApiError and transport errors. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: ListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/**
 * Reads kinds that the cache holds from the cache, and other kinds from the API server. Objects outside the cache's
 * scope are not found.
 */
export interface CachedReader extends Reader {
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: CachedListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/** Reads from the API server, every time. */
export interface LiveReader extends Reader {
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: LiveListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/** How a request is sent. Cached reads send no request. */
export interface ReadOptions {
  /** Order of waiting requests when all connections are busy. Default `normal`. */
  readonly priority?: RequestPriority;
  readonly signal?: AbortSignal;
  /** Timeout of each response, in milliseconds, from when its request is sent; then the call rejects. Default 65 s. */
  readonly timeoutMs?: number;
  /**
   * Maximum size of each response in bytes; for a longer one, the call rejects with an ResponseTooLargeError. Default: no
   * limit.
   */
  readonly maxResponseBytes?: number;
}

export interface WriteOptions extends ReadOptions {
  /** Runs validation and admission without storing anything. Default false. */
  readonly dryRun?: boolean;
  /**
   * How the server handles fields that the kind does not have: `Strict` rejects them with 400. Default `Warn`: it drops
   * them.
   */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface DeleteOptions extends WriteOptions {
  /** How the server handles the object's dependents. Default: the kind's own default. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** The server deletes the object only while these match; otherwise it answers 409. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface PatchOptions extends WriteOptions {
  /** A subresource such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
}

export interface ApplyOptions extends PatchOptions {
  /** Owner of the fields. Default: the client's field manager. */
  readonly fieldManager?: string;
  /**
   * Takes over fields that other managers own, for which the server would otherwise answer 409. Controllers should set
   * it. Default false.
   */
  readonly force?: boolean;
}

/** The input of {@link Writer.updateStatus}: enough to identify one version of one object, and its complete status. */
export interface StatusUpdate<T extends KubernetesObject> {
  readonly metadata: KeyFor<T> & Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  readonly status: T extends { readonly status?: infer S } ? Exclude<S, undefined> : never;
}

/** Each call returns the stored object, and throws {@link ApiError} or a transport error. */
export interface Writer {
  /**
   * Creates an object; answers 409 AlreadyExists when the name is taken. For your own kinds, pass the spec as a user
   * writes it: the API server fills in its defaults, and the returned object has them.
   */
  create<T extends KubernetesObject, SpecInput = SpecOf<T>>(
    resource: InputResource<T, SpecInput>,
    object: ObjectToCreate<NoInfer<T>, NoInfer<SpecInput>>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the object; answers 409 when its resourceVersion is not the latest. */
  update<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /**
   * Replaces only the status; answers 409 when `metadata.resourceVersion` is not the latest. Needs the right to
   * `update` the status of a custom resource ({@link Resource.isCustomResource}), and to `patch` the status of any
   * other kind: there an update would also take labels, annotations and finalizers from the body.
   */
  updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyFor<T>,
    patch: Patch<T>,
    options?: PatchOptions,
  ): Promise<T>;
  /**
   * Server-side apply: creates the object, or sets the fields that `object` names; answers 409 when another manager
   * owns them.
   */
  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: ApplyConfiguration<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  delete<T extends KubernetesObject>(resource: Resource<T>, key: KeyFor<T>, options?: DeleteOptions): Promise<void>;
}

export interface Client extends Reader, Writer {}
