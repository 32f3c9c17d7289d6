/** How clients name kinds and objects: resources, keys, and their paths on the API server. */
import type { ClusterObject, KubernetesObject, NamespacedObject } from './object.ts';

/** A kind of object and its location on the API server. `T` is the type of its objects. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for core/v1. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural, as in the URL. */
  readonly plural: string;
  readonly namespaced: IsNamespaced<T>;
  /**
   * Whether a CustomResourceDefinition defines the kind. For a custom resource, the API server ignores everything but
   * the status in a status update, so the right to `update` is enough; for other kinds the client writes the status
   * with a patch. Default false.
   */
  readonly isCustomResource?: boolean;
  /**
   * Converts each object that get, list or watch reads, but not the answers to writes. For objects that may not match
   * their type, such as those stored under an older schema. Default: no conversion.
   */
  parse?(stored: T): T;
  /** Never set: ties `T` to the value, so that clients infer the object's type. */
  readonly objectType?: T;
}

/** A {@link Resource} with the type of its spec as users write it, such as the result of `defineKind`. */
export interface InputResource<T extends KubernetesObject, SpecInput> extends Resource<T> {
  /** Never set: ties `SpecInput` to the value. */
  readonly specInput?: SpecInput;
}

/** `true` or `false` when the type of the objects determines it, else `boolean`. */
export type IsNamespaced<T extends KubernetesObject> = T extends NamespacedObject
  ? true
  : T extends ClusterObject
    ? false
    : boolean;

/** Names one object of a kind. {@link KeyFor} is stricter where the kind is known. */
export interface ObjectKey {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** Names one object of a namespaced kind. */
export interface NamespacedKey extends ObjectKey {
  readonly namespace: string;
}

/** Names one object of a cluster-scoped kind. */
export interface ClusterKey extends ObjectKey {
  readonly namespace?: never;
}

/** Names one object of type `T`, with a namespace if the kind is namespaced. */
export type KeyFor<T extends KubernetesObject> = T extends NamespacedObject
  ? NamespacedKey
  : T extends ClusterObject
    ? ClusterKey
    : ObjectKey;

/** The resource of a namespaced kind: `namespacedResource<ConfigMap>('v1', 'ConfigMap')`. */
export function namespacedResource<T extends NamespacedObject>(
  apiVersion: T['apiVersion'],
  kind: T['kind'],
  plural = pluralize(kind),
): Resource<T> {
  return { ...parseApiVersion(apiVersion), kind, plural, namespaced: true as IsNamespaced<T> }; // T is a NamespacedObject
}

/** The resource of a cluster-scoped kind: `clusterResource<Node>('v1', 'Node')`. */
export function clusterResource<T extends ClusterObject>(
  apiVersion: T['apiVersion'],
  kind: T['kind'],
  plural = pluralize(kind),
): Resource<T> {
  return { ...parseApiVersion(apiVersion), kind, plural, namespaced: false as IsNamespaced<T> }; // T is a ClusterObject
}

/** The conventional plural of a kind, by English rules: `networkpolicies`, `ingresses`, `gateways`. */
export function pluralize(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

export function formatApiVersion(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `apiVersion/plural`: identifies a collection of an API server. */
export function formatGroupVersionResource(resource: Pick<Resource, 'group' | 'version' | 'plural'>): string {
  return `${formatApiVersion(resource)}/${resource.plural}`;
}

/** Empty for core kinds. */
export function parseGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}

/** The inverse of {@link formatApiVersion}. */
function parseApiVersion(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  return { group: parseGroup(apiVersion), version: apiVersion.slice(apiVersion.indexOf('/') + 1) };
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key in stores, queues and logs. */
export function formatKey(object: ObjectKey | KubernetesObject): string {
  const { namespace, name } = 'metadata' in object ? object.metadata : object;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Returns the key of an object, without its other metadata: Go's `client.ObjectKeyFromObject`. */
export function objectKeyFromObject<T extends KubernetesObject>({ metadata }: T): KeyFor<T> {
  const { namespace, name } = metadata;
  return (namespace === undefined ? { name } : { namespace, name }) as KeyFor<T>; // T's metadata has a namespace or none
}

/** The inverse of {@link formatKey}. */
export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** URL path of a collection, or of one object in it when `name` is given. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
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
