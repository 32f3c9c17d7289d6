/** Which responses mean that an object is gone: kubernetes apiserver pkg/registry/generic/registry/store.go. */
import type { KubernetesObject } from '../kubernetes/object.ts';

/** The result of a delete. */
export type DeletionResult<T> =
  /** The current object: finalizers or its grace period keep it. */
  | { readonly kind: 'Pending'; readonly object: T }
  /** @prop uid Absent when the API server does not return the UID. */
  | { readonly kind: 'Gone'; readonly uid: string | undefined };

/**
 * @param response Response to a DELETE: the object, or a `metav1.Status` when it is gone. A few kinds return the object in
 *   both cases.
 */
export function parseDeletion<T extends KubernetesObject>(response: unknown): DeletionResult<T> {
  const { apiVersion, kind, details, metadata } = (response ?? {}) as Partial<T> & DeletionStatus; // one of the two
  if (apiVersion === 'v1' && kind === 'Status') return { kind: 'Gone', uid: details?.uid };
  const object = response as T;
  if (metadata?.uid !== undefined && hasPendingDeletion(object)) return { kind: 'Pending', object };
  return { kind: 'Gone', uid: metadata?.uid };
}

interface DeletionStatus {
  readonly details?: { readonly uid?: string };
}

/**
 * Returns whether the write that returned `object` has removed it, by removing its last finalizer. The
 * response has the old version.
 */
export function isGone(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasPendingDeletion(object);
}

/** Returns whether finalizers or a grace period keep an object that is being deleted. */
function hasPendingDeletion(object: KubernetesObject & { readonly spec?: unknown }): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 || hasNamespaceFinalizers(object);
}

/** Namespaces have finalizers of their own. */
function hasNamespaceFinalizers({ apiVersion, kind, spec }: KubernetesObject & { readonly spec?: unknown }): boolean {
  if (apiVersion !== 'v1' || kind !== 'Namespace') return false;
  const { finalizers = [] } = (spec ?? {}) as { readonly finalizers?: readonly string[] }; // v1.NamespaceSpec
  return finalizers.length > 0;
}
