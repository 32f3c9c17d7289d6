/** Which answers mean that an object is gone: kubernetes apiserver pkg/registry/generic/registry/store.go. */
import type { KubernetesObject } from '../kubernetes/object.ts';

/** The result of a delete. */
export type Deletion<T> =
  /** The current object: finalizers or its grace period keep it. */
  | { readonly kind: 'Pending'; readonly object: T }
  /** @prop uid Absent when the API server does not return the UID. */
  | { readonly kind: 'Gone'; readonly uid: string | undefined };

/**
 * @param answer Answer to a DELETE: the object, or a `metav1.Status` when it is gone. A few kinds return the object in
 *   both cases.
 */
export function deletionOf<T extends KubernetesObject>(answer: unknown): Deletion<T> {
  const { apiVersion, kind, details, metadata } = (answer ?? {}) as Partial<T> & DeletedStatus; // one of the two
  if (apiVersion === 'v1' && kind === 'Status') return { kind: 'Gone', uid: details?.uid };
  const object = answer as T;
  if (metadata?.uid !== undefined && isKept(object)) return { kind: 'Pending', object };
  return { kind: 'Gone', uid: metadata?.uid };
}

interface DeletedStatus {
  readonly details?: { readonly uid?: string };
}

/**
 * Returns whether the write that the server answered with `object` has removed it, by removing its last finalizer. The
 * answer has the old version.
 */
export function isGone(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !isKept(object);
}

/** Returns whether anything keeps an object that is being deleted. */
function isKept(object: KubernetesObject & { readonly spec?: unknown }): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 || isKeptNamespace(object);
}

/** Namespaces have finalizers of their own. */
function isKeptNamespace({ apiVersion, kind, spec }: KubernetesObject & { readonly spec?: unknown }): boolean {
  if (apiVersion !== 'v1' || kind !== 'Namespace') return false;
  const { finalizers = [] } = (spec ?? {}) as { readonly finalizers?: readonly string[] }; // v1.NamespaceSpec
  return finalizers.length > 0;
}
