/** Which answers say that an object is gone: kubernetes apiserver pkg/registry/generic/registry/store.go. */
import type { KubernetesObject } from '../kubernetes/object.ts';

/** What a delete has made of an object. */
export type Deletion<T> =
  /** The object as it is now: finalizers or its grace period keep it. */
  | { readonly kind: 'Pending'; readonly object: T }
  /** @prop uid Absent where the API server does not say which object that was. */
  | { readonly kind: 'Gone'; readonly uid: string | undefined };

/** @param answer To a DELETE: the object, or a `metav1.Status` when it is gone. Of a few kinds the object in both cases. */
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
 * Whether the write that was answered with `object` has removed it, by taking off its last finalizer. The version in the answer
 * is the old one.
 */
export function isGone(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !isKept(object);
}

/** Whether something keeps an object that is being deleted. */
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
