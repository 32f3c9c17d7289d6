/**
 * Types for the JSON of Kubernetes' built-in kinds, derived from the models of client-node.
 *
 * The models of client-node use `Date` for strings, rename fields that are JavaScript keywords, and make every field
 * optional.
 */
import type { ClusterObjectMeta, NamespacedObjectMeta } from './object.ts';

/** The type of the JSON of `T`: recursively readonly, with JSON field names and strings instead of `Date`. */
export type Wire<T> = unknown extends T
  ? unknown
  : T extends Date
    ? string
    : T extends readonly (infer U)[]
      ? readonly Wire<U>[]
      : T extends object
        ? WireObject<T>
        : T;

/** Renames fields only in the few models that need it, because editors show no documentation for the fields of a mapped type. */
type WireObject<T extends object> =
  FieldName<keyof T> extends keyof T
    ? { readonly [K in keyof T]: Wire<T[K]> }
    : { readonly [K in keyof T as FieldName<K>]: Wire<T[K]> };

/** The JSON name of a field, such as `from` for `_from` in client-node, and `x-kubernetes-x` for `x_kubernetes_x`. */
type FieldName<K> = K extends `_${infer Name}`
  ? Name
  : K extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${KebabCase<Rest>}`
    : K;

type KebabCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}-${KebabCase<Tail>}` : Name;

/**
 * The type of the stored objects of a namespaced kind, derived from a model of client-node. `RequiredField` lists
 * fields that are optional in the model but present in every stored object.
 */
export type StoredNamespacedObject<
  Model,
  ApiVersion extends string,
  Kind extends string,
  RequiredField extends keyof Model & string = never,
> = TypedObject<ApiVersion, Kind, NamespacedObjectMeta> & ModelFields<Wire<Model>, RequiredField>;

/** The type of the stored objects of a cluster-scoped kind, derived from a model of client-node. */
export type StoredClusterObject<
  Model,
  ApiVersion extends string,
  Kind extends string,
  RequiredField extends keyof Model & string = never,
> = TypedObject<ApiVersion, Kind, ClusterObjectMeta> & ModelFields<Wire<Model>, RequiredField>;

interface TypedObject<ApiVersion extends string, Kind extends string, Meta> {
  /** Group and version; only the version for the core group. */
  readonly apiVersion: ApiVersion;
  /** Kind in CamelCase. */
  readonly kind: Kind;
  /** Metadata: the name, the namespace, the labels, and fields that the API server sets. */
  readonly metadata: Meta;
}

type ModelFields<Fields, RequiredField extends string> = Omit<
  Fields,
  'apiVersion' | 'kind' | 'metadata' | RequiredField
> & {
  readonly [K in keyof Pick<Fields, Extract<keyof Fields, RequiredField>>]-?: Exclude<Fields[K], undefined>;
};
