import type { ClusterObject, KubernetesObject, NamespacedObject } from './object.ts';

/** A kind and its location on the API server. `T` is the type of the objects of the kind. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for core/v1. */
  readonly group: string;
  /** Version, such as `v1`. */
  readonly version: string;
  /** Kind in CamelCase, such as `Website`. */
  readonly kind: string;
  /** Plural name in lower case, as in the URLs of the API server. */
  readonly plural: string;
  /** Whether objects of the kind are in namespaces. */
  readonly namespaced: IsNamespaced<T>;
  /**
   * Whether a CustomResourceDefinition defines the kind. For a custom resource, the client writes the status with an
   * update, and the API server stores only the status of the update. For a built-in kind, the client writes the status
   * with a patch. Default false.
   */
  readonly isCustomResource?: boolean;
  /**
   * Converts each object that a get, list or watch returns, for example an object that was stored with an older schema.
   * The client does not convert the responses to writes. Default: no conversion.
   */
  parse?(stored: T): T;
  /** Never set. The compiler infers the type of the objects from this field. */
  readonly objectType?: T;
}

/**
 * A {@link Resource} with a separate type for the spec in manifests. In manifests, fields with a default are optional.
 */
export interface InputResource<T extends KubernetesObject, SpecInput> extends Resource<T> {
  /** Never set. The compiler infers `SpecInput` from this field. */
  readonly specInput?: SpecInput;
}

/** `true` for a {@link NamespacedObject}, `false` for a {@link ClusterObject}, else `boolean`. */
export type IsNamespaced<T extends KubernetesObject> = T extends NamespacedObject
  ? true
  : T extends ClusterObject
    ? false
    : boolean;

/** The key of an object of any kind. Use {@link KeyFor} if you know the kind. */
export interface ObjectKey {
  /** Namespace of the object, absent for a cluster-scoped object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** The key of an object of a namespaced kind. */
export interface NamespacedKey extends ObjectKey {
  /** Namespace of the object. */
  readonly namespace: string;
}

/** The key of an object of a cluster-scoped kind. */
export interface ClusterKey extends ObjectKey {
  /** Always absent. */
  readonly namespace?: never;
}

/** The key of an object of type `T`. The key has a namespace if `T` is a {@link NamespacedObject}. */
export type KeyFor<T extends KubernetesObject> = T extends NamespacedObject
  ? NamespacedKey
  : T extends ClusterObject
    ? ClusterKey
    : ObjectKey;

/** Returns the resource of a namespaced kind: `namespacedResource<ConfigMap>('v1', 'ConfigMap')`. */
export function namespacedResource<T extends NamespacedObject>(
  apiVersion: T['apiVersion'],
  kind: T['kind'],
  plural = pluralize(kind),
): Resource<T> {
  return { ...parseApiVersion(apiVersion), kind, plural, namespaced: true as IsNamespaced<T> }; // objects of type `T` have a namespace
}

/** Returns the resource of a cluster-scoped kind: `clusterResource<Node>('v1', 'Node')`. */
export function clusterResource<T extends ClusterObject>(
  apiVersion: T['apiVersion'],
  kind: T['kind'],
  plural = pluralize(kind),
): Resource<T> {
  return { ...parseApiVersion(apiVersion), kind, plural, namespaced: false as IsNamespaced<T> }; // objects of type `T` have no namespace
}

/** Returns the plural name of a kind, by English rules: `networkpolicies`, `ingresses`, `gateways`. */
export function pluralize(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** Returns the API version of a resource: `apps/v1`, or `v1` for the core group. */
export function formatApiVersion(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Returns `<apiVersion>/<plural>`, such as `batch/v1/jobs`, which identifies a collection on an API server. */
export function formatGroupVersionResource(resource: Pick<Resource, 'group' | 'version' | 'plural'>): string {
  return `${formatApiVersion(resource)}/${resource.plural}`;
}

/** Returns the API group; empty for core/v1. */
export function getGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}

function parseApiVersion(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  return { group: getGroup(apiVersion), version: apiVersion.slice(apiVersion.indexOf('/') + 1) };
}

/** Returns `<namespace>/<name>`, or `<name>` for a cluster-scoped object, as a key for caches, queues and logs. */
export function formatKey(object: ObjectKey | KubernetesObject): string {
  const { namespace, name } = 'metadata' in object ? object.metadata : object;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Returns the key of an object: Go's `client.ObjectKeyFromObject`. */
export function objectKeyFromObject<T extends KubernetesObject>({ metadata }: T): KeyFor<T> {
  const { namespace, name } = metadata;
  return (namespace === undefined ? { name } : { namespace, name }) as KeyFor<T>; // T determines whether the key has a namespace
}

export function parseKey(key: string): ObjectKey {
  const slashIndex = key.indexOf('/');
  return slashIndex < 0 ? { name: key } : { namespace: key.slice(0, slashIndex), name: key.slice(slashIndex + 1) };
}

/** Returns the URL path of a collection, or with `name`, the URL path of an object. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  let path = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (resource.namespaced && namespace !== undefined) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${resource.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}
