/** Fields that every Kubernetes object has. */

/**
 * A reference from a dependent object to its owner. The garbage collector deletes the dependent object after its owner.
 */
export interface OwnerReference {
  /** API version of the owner, such as `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner, which is in the same namespace or cluster-scoped. */
  readonly name: string;
  /** UID of the owner. The garbage collector ignores an owner with the same name and another UID. */
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
  /** Time of the client's last change of the fields, in RFC 3339 with whole seconds. */
  readonly time?: string;
  /** Always `FieldsV1`. */
  readonly fieldsType?: string;
  /** The managed fields as a tree, such as `{ 'f:spec': { 'f:schedule': {} } }`. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  /** Subresource through which the client set the fields, such as `status`. Absent for the object itself. */
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
  /** Number of changes of the spec. Some kinds omit it. */
  readonly generation?: number;
  /** Time in RFC 3339 with whole seconds. */
  readonly creationTimestamp: string;
  /** Deletion time in RFC 3339, present while the object is being deleted. */
  readonly deletionTimestamp?: string;
  /** Time in which the object may stop after its delete request, in seconds. */
  readonly deletionGracePeriodSeconds?: number;
  /** Labels, by which selectors select objects. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations: text for tools and people, which selectors ignore. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Owners. The garbage collector deletes the object when all its owners are gone. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Finalizers. The API server removes a deleted object when this list is empty. */
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
  /** Name, namespace, labels, and the fields that the API server sets. */
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

/** An object to create, whose name the API server generates: `generateName` and five random characters. */
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
