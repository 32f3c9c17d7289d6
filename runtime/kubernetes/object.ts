/** Fields that every Kubernetes object has. */

/**
 * A reference from a dependent object to its owner. After the deletion of the owner, the garbage collector deletes the
 * dependent object.
 */
export interface OwnerReference {
  /** API version of the owner, such as `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner. The owner must be cluster-scoped or in the same namespace as the object. */
  readonly name: string;
  /** UID of the owner. An object with the same name but a different UID is not the owner. */
  readonly uid: string;
  /** Whether the owner is the controller of the object. An object has at most one controller. Default false. */
  readonly controller?: boolean;
  /** Whether foreground deletion of the owner waits for the deletion of this object. Default false. */
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that one client manages: Go's `metav1.ManagedFieldsEntry`. */
export interface ManagedFieldsEntry {
  /** Name of the field manager, which identifies the client. */
  readonly manager?: string;
  /** `Apply` for server-side apply, `Update` for all other writes. */
  readonly operation?: 'Apply' | 'Update';
  /** API version of the field names in {@link fieldsV1}. */
  readonly apiVersion?: string;
  /** Time of the last change of the fields by the client, in RFC 3339 with whole seconds. */
  readonly time?: string;
  /** Always `FieldsV1`. */
  readonly fieldsType?: string;
  /** The managed fields as a tree, such as `{ 'f:spec': { 'f:schedule': {} } }`. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  /**
   * Subresource through which the client set the fields, such as `status`. Absent if the client wrote without a
   * subresource.
   */
  readonly subresource?: string;
}

/** Metadata of an object that an API server has stored. */
export interface ObjectMeta {
  /** Name of the object, which is unique for its kind and namespace. */
  readonly name: string;
  /** Prefix of the name, if the API server generated the name. */
  readonly generateName?: string;
  /** Namespace of the object, absent for a cluster-scoped object. */
  readonly namespace?: string;
  /** Unique ID of the object. A new object with the same name has another UID. */
  readonly uid: string;
  /** Version of the stored object, which changes with every write. */
  readonly resourceVersion: string;
  /** Number that increases with each change of the spec. Objects of some kinds have no generation. */
  readonly generation?: number;
  /** Creation time in RFC 3339 with whole seconds. */
  readonly creationTimestamp: string;
  /** Deletion time in RFC 3339, present while the object is being deleted. */
  readonly deletionTimestamp?: string;
  /** Grace period of the deletion, in seconds. */
  readonly deletionGracePeriodSeconds?: number;
  /** Labels, by which selectors select objects. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations: text for tools and people. Selectors cannot use annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Owners. After the deletion of all owners, the garbage collector deletes the object. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Finalizers. The API server removes a deleted object when its list of finalizers is empty. */
  readonly finalizers?: readonly string[];
  /** Managed fields for server-side apply. Caches remove the managed fields by default. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Metadata of an object in a namespace. */
export interface NamespacedObjectMeta extends ObjectMeta {
  /** Namespace of the object. */
  readonly namespace: string;
}

/** Metadata of a cluster-scoped object. */
export interface ClusterObjectMeta extends ObjectMeta {
  /** Always absent. */
  readonly namespace?: never;
}

/** An object of any kind. A type for one kind extends {@link NamespacedObject} or {@link ClusterObject}. */
export interface KubernetesObject {
  /** Group and version, such as `apps/v1`; only the version for the core group. */
  readonly apiVersion: string;
  /** Kind in CamelCase, such as `Deployment`. */
  readonly kind: string;
  /** Metadata: the name, the namespace, the labels, and fields that the API server sets. */
  readonly metadata: ObjectMeta;
}

/** An object of a namespaced kind. */
export interface NamespacedObject extends KubernetesObject {
  /** Metadata with a namespace. */
  readonly metadata: NamespacedObjectMeta;
}

/** An object of a cluster-scoped kind. */
export interface ClusterObject extends KubernetesObject {
  /** Metadata without a namespace. */
  readonly metadata: ClusterObjectMeta;
}

/** An object whose fields have no types: `namespacedResource<Unstructured>('example.com/v1', 'Gadget')`. */
export type Unstructured<T extends KubernetesObject = NamespacedObject> = T & { readonly [field: string]: unknown };

/** Metadata that clients set. The API server sets the fields of {@link ObjectMeta} that this type omits. */
export type EditableMeta = Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>;

/**
 * An object to create, with a name but without a UID. `T` is the type of the stored object. The client adds
 * `apiVersion` and `kind`. `SpecInput` is the type of the spec in manifests, where fields with a default are optional.
 * Default: the type of the stored spec.
 */
export type NewObject<T extends KubernetesObject, SpecInput = SpecOf<T>> = NewObjectFields<T, SpecInput> & {
  readonly metadata: Pick<T['metadata'], 'name' | 'namespace'> & EditableMeta;
};

/** An object to create with a generated name. The API server appends five random characters to `generateName`. */
export type NewUnnamedObject<T extends KubernetesObject, SpecInput = SpecOf<T>> = NewObjectFields<T, SpecInput> & {
  readonly metadata: Pick<T['metadata'], 'namespace'> &
    EditableMeta & { readonly generateName: string; readonly name?: never };
};

/** An object to create, with a name or with `generateName`. */
export type ObjectToCreate<T extends KubernetesObject, SpecInput = SpecOf<T>> =
  | NewObject<T, SpecInput>
  | NewUnnamedObject<T, SpecInput>;

/** The type of the spec of a stored `T`, or `unknown` if `T` has no spec. */
export type SpecOf<T> = T extends { readonly spec?: infer Spec } ? Exclude<Spec, undefined> : unknown;

/** The fields of a new `T`, except for its metadata and status. */
type NewObjectFields<T extends KubernetesObject, SpecInput> = Partial<Pick<T, 'apiVersion' | 'kind'>> & {
  readonly [K in keyof T as Exclude<K, 'apiVersion' | 'kind' | 'metadata' | 'status'>]: K extends 'spec'
    ? SpecInput
    : T[K];
};

/** Returns the owner that is the controller of the object, or `undefined` if the object has no controller. */
export function getControllerReference({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'ownerReferences'>;
}): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}
