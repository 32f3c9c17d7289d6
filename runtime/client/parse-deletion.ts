/** Parses responses to DELETE requests. See kubernetes apiserver pkg/registry/generic/registry/store.go. */
import type { KubernetesObject } from '../kubernetes/object.ts';

export type DeletionResult<T> =
  /** The deletion is pending: the object exists until its finalizers are removed or its grace period ends. */
  | { readonly kind: 'Pending'; readonly object: T }
  /** @prop uid UID of the deleted object, or `undefined` if the API server did not send a UID. */
  | { readonly kind: 'Gone'; readonly uid: string | undefined };

/**
 * @param response The response to a DELETE request: an object, or a `metav1.Status` if the object is deleted. For a few
 *   kinds, the API server returns the deleted object instead of a Status.
 */
export function parseDeletion<T extends KubernetesObject>(response: unknown): DeletionResult<T> {
  const { apiVersion, kind, details, metadata } = (response ?? {}) as Partial<T> & DeletionStatus; // object or Status
  if (apiVersion === 'v1' && kind === 'Status') return { kind: 'Gone', uid: details?.uid };
  const object = response as T;
  if (metadata?.uid !== undefined && hasPendingDeletion(object)) return { kind: 'Pending', object };
  return { kind: 'Gone', uid: metadata?.uid };
}

interface DeletionStatus {
  readonly details?: { readonly uid?: string };
}

/**
 * Returns whether a write has deleted the object by removing its last finalizer. `object` is the response to the write.
 */
export function isDeleted(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasPendingDeletion(object);
}

/** Returns whether finalizers or a grace period delay the deletion of the object. */
function hasPendingDeletion(object: KubernetesObject & { readonly spec?: unknown }): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 || hasNamespaceFinalizers(object);
}

/** Returns whether the object is a Namespace with finalizers in its spec. */
function hasNamespaceFinalizers({ apiVersion, kind, spec }: KubernetesObject & { readonly spec?: unknown }): boolean {
  if (apiVersion !== 'v1' || kind !== 'Namespace') return false;
  const { finalizers = [] } = (spec ?? {}) as { readonly finalizers?: readonly string[] }; // v1.NamespaceSpec
  return finalizers.length > 0;
}
