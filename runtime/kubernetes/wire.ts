/**
 * Kubernetes' own types as they are on the wire.
 *
 * client-node's models use `Date` for strings, rename fields that are JavaScript keywords, and make every field
 * optional. Only their types are used.
 */
import type { ClusterObjectMeta, NamespacedObjectMeta } from './object.ts';

/** The JSON form of `T`: every `Date` is a string, fields have their own names and are readonly, recursively. */
export type Wire<T> = unknown extends T
  ? unknown
  : T extends Date
    ? string
    : T extends readonly (infer U)[]
      ? readonly Wire<U>[]
      : T extends object
        ? { readonly [K in keyof T as FieldName<K>]: Wire<T[K]> }
        : T;

/** A field's name in JSON: client-node has `_from` for `from`, and `x_kubernetes_map_type` for `x-kubernetes-map-type`. */
type FieldName<K> = K extends `_${infer Name}`
  ? Name
  : K extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${KebabCase<Rest>}`
    : K;

type KebabCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}-${KebabCase<Tail>}` : Name;

/**
 * A namespaced kind of client-node, with the fields that every stored object has. `RequiredField` names fields that every
 * object has although they are optional in the model.
 */
export type StoredNamespaced<
  Model,
  ApiVersion extends string,
  Kind extends string,
  RequiredField extends keyof Model & string = never,
> = TypedObject<ApiVersion, Kind, NamespacedObjectMeta> & ModelFields<Wire<Model>, RequiredField>;

/** {@link StoredNamespaced} of a cluster-scoped kind. */
export type StoredCluster<
  Model,
  ApiVersion extends string,
  Kind extends string,
  RequiredField extends keyof Model & string = never,
> = TypedObject<ApiVersion, Kind, ClusterObjectMeta> & ModelFields<Wire<Model>, RequiredField>;

interface TypedObject<ApiVersion extends string, Kind extends string, Meta> {
  readonly apiVersion: ApiVersion;
  readonly kind: Kind;
  readonly metadata: Meta;
}

type ModelFields<Fields, RequiredField extends string> = Omit<
  Fields,
  'apiVersion' | 'kind' | 'metadata' | RequiredField
> & {
  readonly [K in Extract<keyof Fields, RequiredField>]-?: Exclude<Fields[K], undefined>;
};
