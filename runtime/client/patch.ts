import type { EditableMeta, KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import type { KeyFor, ObjectKey } from '../kubernetes/resource.ts';

/** A patch and its format. For server-side apply, use {@link Writer.apply}. */
export type Patch<T extends KubernetesObject = KubernetesObject> =
  | { readonly kind: 'merge'; readonly body: MergePatch<NoInfer<T>> }
  | { readonly kind: 'json'; readonly body: readonly JsonPatchOperation[] };

/**
 * A merge patch (RFC 7386) replaces the fields that it contains, including whole lists. The value `null` removes a
 * field.
 */
export type MergePatch<T extends KubernetesObject> = KubernetesObject extends T ? UntypedFields : MergePatchValue<T>;

type MergePatchValue<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { readonly [K in keyof T]?: MergePatchValue<T[K]> | null | undefined }
      : T;

/**
 * An operation of a JSON patch (RFC 6902). `path` and `from` are JSON pointers, such as
 * `/metadata/labels/app.kubernetes.io~1name`.
 */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * The fields that a field manager sets by server-side apply. The API server removes fields that the field manager set
 * in an earlier request and that are now absent or undefined.
 */
export type ApplyConfiguration<T extends KubernetesObject> = AppliedFields<NoInfer<T>> & {
  readonly metadata: KeyFor<NoInfer<T>> & ApplyMetadata;
};

/** An {@link ApplyConfiguration} for an object with an owner. The default namespace is the namespace of the owner. */
export type OwnedConfiguration<T extends KubernetesObject> = AppliedFields<NoInfer<T>> & {
  readonly metadata: ObjectKey & ApplyMetadata;
};

type AppliedFields<T extends KubernetesObject> = Partial<Pick<T, 'apiVersion' | 'kind'>> &
  (KubernetesObject extends T ? UntypedFields : DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>>);

/** The API server responds with 409 if the object has a different `uid` or `resourceVersion`. */
type ApplyMetadata = {
  readonly [K in keyof (EditableMeta & Pick<ObjectMeta, 'uid' | 'resourceVersion'>)]?: ObjectMeta[K] | undefined;
};

/** Makes all fields of `T` optional, recursively. */
export type DeepPartial<T> = unknown extends T
  ? T
  : T extends readonly (infer U)[]
    ? readonly DeepPartial<U>[]
    : T extends object
      ? { readonly [K in keyof T]?: DeepPartial<T[K]> | undefined }
      : T;

/** The fields of an object whose kind has no TypeScript type. */
type UntypedFields = Readonly<Record<string, unknown>>;
