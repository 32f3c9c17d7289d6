/** The typed client: what reconcilers call. Reads of a cached client come from the informers, writes go to the server. */
import type { ClusterObject, KubernetesObject, ObjectMeta, ObjectToCreate, SpecOf } from '../kubernetes/object.ts';
import type { InputResource, KeyOf, Resource } from '../kubernetes/resource.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ApplyConfiguration, Patch } from './patch.ts';
import type { RequestPriority } from './request-lane.ts';

/** Which objects to list, for every reader. */
export interface ListOptions<T extends KubernetesObject = KubernetesObject> {
  /** Only this namespace. All namespaces when absent. Cluster-scoped kinds have none to choose from. */
  readonly namespace?: NamespaceOf<T>;
  /** Such as `app=web,tier in (front,back),!legacy`, or as an object. */
  readonly labelSelector?: LabelSelector;
  /** Only {@link CachedListOptions} have one. */
  readonly index?: never;
  /** Only {@link LiveListOptions} have one. */
  readonly fieldSelector?: never;
  /** Only {@link LiveListOptions} have one. */
  readonly limit?: never;
}

/** `never` where no namespace holds objects of `T`. */
export type NamespaceOf<T extends KubernetesObject> = T extends ClusterObject ? never : string;

/** Which objects to list from the cache. It has no field selectors: add an index. */
export interface CachedListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'index'> {
  /** Only objects whose field index `name` has `value`. The index must have been added. */
  readonly index?: { readonly name: string; readonly value: string };
}

/** Which objects to list from the API server. It has no indexes. */
export interface LiveListOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ListOptions<T>, 'fieldSelector' | 'limit'> {
  /** Such as `spec.nodeName=n`. What fields there are depends on the kind; custom resources declare theirs. */
  readonly fieldSelector?: string;
  /** Only so many, the first in the order of their names; at least 1. All when absent, in as many requests as that takes. */
  readonly limit?: number;
}

/** Reads from wherever. */
export interface Reader {
  /** The object, or `undefined` when there is none. Throws ApiError and transport errors. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: KeyOf<T>, options?: ReadOptions): Promise<T | undefined>;
  /** The objects, in no particular order. Throws ApiError and transport errors. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: ListOptions<NoInfer<T>> & ReadOptions,
  ): Promise<readonly T[]>;
}

/** Reads what the cache holds; kinds that it does not hold, from the API server. Where its scope is narrowed, the rest is not found. */
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

/** How a request is sent, if it is: cached reads send none. */
export interface ReadOptions {
  /** Which waiting requests go first when all connections are busy. Default `normal`. */
  readonly priority?: RequestPriority;
  readonly signal?: AbortSignal;
  /** Most time for each answer, in milliseconds, from when its request is sent; past it the call rejects. Default 65 s. */
  readonly timeoutMs?: number;
  /** Most bytes of each answer; past them the call rejects with an AnswerTooLongError. Not bounded when absent. */
  readonly maxAnswerBytes?: number;
}

export interface WriteOptions extends ReadOptions {
  /** Checks and admits, stores nothing. Default false. */
  readonly dryRun?: boolean;
  /** What becomes of fields that the kind does not have: `Strict` refuses them with 400. Default `Warn`: they are dropped. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface DeleteOptions extends WriteOptions {
  /** What becomes of the object's dependents. Default: the kind's own default. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** The delete happens only while these still hold; else the server answers 409. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface PatchOptions extends WriteOptions {
  /** Such as `status` or `scale`. The object itself when absent. */
  readonly subresource?: string;
}

export interface ApplyOptions extends PatchOptions {
  /** Who owns the fields. Default: the client's. */
  readonly fieldManager?: string;
  /** Takes over fields that other managers own, where the server would answer 409. Controllers should. Default false. */
  readonly force?: boolean;
}

/** What {@link Writer.updateStatus} sends: enough to name one version of one object, and its complete status. */
export interface StatusUpdate<T extends KubernetesObject> {
  readonly metadata: KeyOf<T> & Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  readonly status: T extends { readonly status?: infer S } ? Exclude<S, undefined> : never;
}

/** Each call returns what the server stored, and throws {@link ApiError} or a transport error. */
export interface Writer {
  /**
   * Answers 409 AlreadyExists when the name is taken. The spec of a kind of one's own is as people write it: the API server
   * fills in its defaults, and the object that is returned has them.
   */
  create<T extends KubernetesObject, SpecInput = SpecOf<T>>(
    resource: InputResource<T, SpecInput>,
    object: ObjectToCreate<NoInfer<T>, NoInfer<SpecInput>>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the object; answers 409 when its resourceVersion is not the newest. */
  update<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /**
   * Replaces the status and nothing else; answers 409 when `metadata.resourceVersion` is not the newest. Needs the right to
   * `update` the status of a custom resource ({@link Resource.isCustomResource}), and to `patch` that of any other kind: there
   * an update would take labels, annotations and finalizers from the body as well.
   */
  updateStatus<T extends KubernetesObject>(
    resource: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: KeyOf<T>,
    patch: Patch<T>,
    options?: PatchOptions,
  ): Promise<T>;
  /** Server-side apply: makes the object, or sets what `object` names; answers 409 where another manager owns that. */
  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: ApplyConfiguration<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  delete<T extends KubernetesObject>(resource: Resource<T>, key: KeyOf<T>, options?: DeleteOptions): Promise<void>;
}

export interface Client extends Reader, Writer {}
