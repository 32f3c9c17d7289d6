/** Types of patches, by the type of the object. */
import type { EditableMeta, KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import type { KeyFor, ObjectKey } from '../kubernetes/resource.ts';

/** A patch and its format. For server-side apply, use {@link Writer.apply}. */
export type Patch<T extends KubernetesObject = KubernetesObject> =
  | { readonly kind: 'merge'; readonly body: MergePatch<NoInfer<T>> }
  | { readonly kind: 'json'; readonly body: readonly JsonPatchOperation[] };

/** RFC 7386: replaces the named fields, `null` removes a field, other fields stay. Lists are replaced as a whole. */
export type MergePatch<T extends KubernetesObject> = KubernetesObject extends T ? UntypedFields : MergePatchValue<T>;

type MergePatchValue<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { readonly [K in keyof T]?: MergePatchValue<T[K]> | null | undefined }
      : T;

/** RFC 6902. `path` and `from` are JSON pointers, such as `/metadata/labels/app.kubernetes.io~1name`. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * The fields that one field manager sets on an object by server-side apply: it owns these fields, and gives up fields
 * that it named before. `undefined` means absent.
 */
export type ApplyConfiguration<T extends KubernetesObject> = AppliedFields<NoInfer<T>> & {
  readonly metadata: KeyFor<NoInfer<T>> & AppliedMeta;
};

/** The same for an object that a reconciled object owns: without a namespace, it uses the namespace of its owner. */
export type OwnedConfiguration<T extends KubernetesObject> = AppliedFields<NoInfer<T>> & {
  readonly metadata: ObjectKey & AppliedMeta;
};

type AppliedFields<T extends KubernetesObject> = Partial<Pick<T, 'apiVersion' | 'kind'>> &
  (KubernetesObject extends T ? UntypedFields : DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>>);

/** With `uid` or `resourceVersion`, the server answers 409 when the object is a different one or has changed. */
type AppliedMeta = {
  readonly [K in keyof (EditableMeta & Pick<ObjectMeta, 'uid' | 'resourceVersion'>)]?: ObjectMeta[K] | undefined;
};

/** `T` with every field optional, recursively. */
export type DeepPartial<T> = unknown extends T
  ? T
  : T extends readonly (infer U)[]
    ? readonly DeepPartial<U>[]
    : T extends object
      ? { readonly [K in keyof T]?: DeepPartial<T[K]> | undefined }
      : T;

/** For kinds with unknown fields except the metadata. */
type UntypedFields = Readonly<Record<string, unknown>>;
