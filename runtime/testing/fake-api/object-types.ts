import type { KubernetesObject, ObjectMeta } from '../../kubernetes/object.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export type StoredObject = KubernetesObject & JsonObject;

/** The URL path of a collection, which lists all objects of a kind, such as `/apis/batch/v1/jobs`. */
export type CollectionPath = string;

/** An object to store. */
export interface ObjectInput {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
}
