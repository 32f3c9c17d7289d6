/** What every Kubernetes object has. */

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

/** Which fields one client has set last, and when. */
export interface ManagedFieldsEntry {
  /** The client's field manager. */
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  /** Version of the kind that {@link fieldsV1} is written in. */
  readonly apiVersion?: string;
  /** RFC 3339, whole seconds: when the client last changed one of them. */
  readonly time?: string;
  readonly fieldsType?: string;
  /** A tree with a key for each field: `{ 'f:spec': { 'f:schedule': {} } }`. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  /** `status` when they were set through the status subresource. */
  readonly subresource?: string;
}

/** Metadata of an object that an API server has stored. */
export interface ObjectMeta {
  readonly name: string;
  /** The prefix that the API server made the name from. */
  readonly generateName?: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid: string;
  /** Opaque; equal strings mean the same state of the object. */
  readonly resourceVersion: string;
  /** Counts changes of the spec. Absent on kinds that do not count. */
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

/** An object of a kind that no namespace holds. */
export interface ClusterObject extends KubernetesObject {
  readonly metadata: ClusterObjectMeta;
}

/** Metadata that clients set; the rest of {@link ObjectMeta} is the API server's. */
export type EditableMeta = Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>;

/** `T` before the API server has stored it: it has a name, and no UID yet. The client knows its `apiVersion` and `kind`. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> &
  Partial<Pick<T, 'apiVersion' | 'kind'>> & {
    readonly metadata: Pick<T['metadata'], 'name' | 'namespace'> & EditableMeta;
  };

/** The one owner that manages `object`, if it has one. */
export function controllerOf({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'ownerReferences'>;
}): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}
