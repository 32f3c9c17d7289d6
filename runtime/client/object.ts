/** What every Kubernetes object has, and how the machinery names kinds and objects. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata that a stored object always has, and the optional parts the machinery looks at. */
export interface ObjectMeta {
  readonly name: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** `T` before the API server has stored it: it has a name, and no UID yet. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'metadata' | 'status'> & {
  readonly metadata: Pick<T['metadata'], 'name' | 'namespace'> &
    Partial<Pick<T['metadata'], 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>>;
};

/** A kind of object and where the API server serves it. `T` is the type of its objects. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for core/v1. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural, as in the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: ties `T` to the value, so that clients infer the object's type. */
  readonly objectType?: T;
}

/** Names one object of a kind. */
export interface ObjectKey {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `namespace/name`, or `name` for cluster-scoped objects: the form of keys in stores, queues and logs. */
export function keyOf(object: ObjectKey | KubernetesObject): string {
  const { namespace, name } = 'metadata' in object ? object.metadata : object;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The inverse of {@link keyOf}. */
export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The one owner that manages `object`, if it has one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** URL path of a collection, or of one object in it when `name` is given. */
export function pathOf(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const segments = [
    root,
    ...(resource.namespaced && namespace !== undefined ? ['namespaces', encodeURIComponent(namespace)] : []),
    resource.plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return segments.join('/');
}
