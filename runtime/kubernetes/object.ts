/** Fields that every Kubernetes object has. */

/** Points from a dependent object to its owner; the garbage collector follows it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True on the one owner that manages the object. Default false. */
  readonly controller?: boolean;
  /** Foreground deletion of the owner waits for this object. Default false. */
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that one client has set last, and when. */
export interface ManagedFieldsEntry {
  /** The client's field manager. */
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  /** Version of the kind that {@link fieldsV1} uses. */
  readonly apiVersion?: string;
  /** RFC 3339, whole seconds: when the client last changed one of the fields. */
  readonly time?: string;
  readonly fieldsType?: string;
  /** A tree with a key for each field: `{ 'f:spec': { 'f:schedule': {} } }`. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  /** `status` when the client set the fields through the status subresource. */
  readonly subresource?: string;
}

/** Metadata of an object that an API server has stored. */
export interface ObjectMeta {
  readonly name: string;
  /** The prefix of a name that the API server generated. */
  readonly generateName?: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid: string;
  /** Opaque; equal strings mean the same state of the object. */
  readonly resourceVersion: string;
  /** Counts changes of the spec. Absent on kinds that do not count them. */
  readonly generation?: number;
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp: string;
  /** RFC 3339. Present while the object is being deleted. */
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  /** Caches leave it out by default. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

export interface NamespacedObjectMeta extends ObjectMeta {
  readonly namespace: string;
}

export interface ClusterObjectMeta extends ObjectMeta {
  readonly namespace?: never;
}

/** An object of any kind. Types of one kind say whether it is a {@link NamespacedObject} or a {@link ClusterObject}. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind whose objects live in namespaces. */
export interface NamespacedObject extends KubernetesObject {
  readonly metadata: NamespacedObjectMeta;
}

/** An object of a cluster-scoped kind. */
export interface ClusterObject extends KubernetesObject {
  readonly metadata: ClusterObjectMeta;
}

/** Metadata that clients set; the API server sets the rest of {@link ObjectMeta}. */
export type EditableMeta = Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>;

/**
 * `T` before the API server has stored it: it has a name but no UID yet. The client adds `apiVersion` and `kind`.
 * `SpecInput` is its spec as users write it; by default, the stored spec.
 */
export type NewObject<T extends KubernetesObject, SpecInput = SpecOf<T>> = NewObjectFields<T, SpecInput> & {
  readonly metadata: Pick<T['metadata'], 'name' | 'namespace'> & EditableMeta;
};

/**
 * {@link NewObject} whose name the API server generates: it appends five random characters to `generateName`, such as
 * `backup-`.
 */
export type NewUnnamedObject<T extends KubernetesObject, SpecInput = SpecOf<T>> = NewObjectFields<T, SpecInput> & {
  readonly metadata: Pick<T['metadata'], 'namespace'> &
    EditableMeta & { readonly generateName: string; readonly name?: never };
};

/** An object to create, with a name or a name prefix. */
export type ObjectToCreate<T extends KubernetesObject, SpecInput = SpecOf<T>> =
  | NewObject<T, SpecInput>
  | NewUnnamedObject<T, SpecInput>;

/** The spec of a stored `T`, with its defaults; `unknown` when `T` has no spec. */
export type SpecOf<T> = T extends { readonly spec?: infer Spec } ? Exclude<Spec, undefined> : unknown;

/** Optional fields of `T` stay optional. */
type NewObjectFields<T extends KubernetesObject, SpecInput> = Partial<Pick<T, 'apiVersion' | 'kind'>> & {
  readonly [K in keyof T as Exclude<K, 'apiVersion' | 'kind' | 'metadata' | 'status'>]: K extends 'spec'
    ? SpecInput
    : T[K];
};

/** Returns the owner that controls `object`, if it has one. */
export function getControllerReference({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'ownerReferences'>;
}): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}
