/** Which objects to reconcile because something happened to another one. */
import type { KubernetesObject, OwnerReference } from '../kubernetes/object.ts';
import { apiVersionOf, type ObjectKey, type Resource } from '../kubernetes/resource.ts';

/**
 * The objects to reconcile because something happened to `object`: what Go's `EnqueueRequestsFromMapFunc` takes. May be asynchronous, as
 * reads of the cache are; what comes at once is enqueued at once. An error is logged, and reconciles nothing.
 */
export type MapToRequests<T> = (object: T) => readonly ObjectKey[] | Promise<readonly ObjectKey[]>;

/** The object itself. */
export function enqueueRequestForObject({ metadata }: KubernetesObject): readonly ObjectKey[] {
  return [metadata];
}

export interface OwnerOptions {
  /** Only the owner that controls the object, of which there is at most one. Default: every owner. */
  readonly onlyController?: boolean;
}

/** The objects of kind `owner` that own the object. */
export function enqueueRequestForOwner(
  owner: Resource,
  { onlyController = false }: OwnerOptions = {},
): (object: KubernetesObject) => readonly ObjectKey[] {
  const group = groupOf(apiVersionOf(owner));
  const isWanted = (reference: OwnerReference) =>
    reference.kind === owner.kind &&
    (!onlyController || reference.controller === true) &&
    groupOf(reference.apiVersion) === group;
  return ({ metadata: { namespace, ownerReferences = [] } }) => {
    const requests: ObjectKey[] = [];
    for (const reference of ownerReferences) {
      const { name } = reference;
      if (isWanted(reference))
        requests.push(owner.namespaced && namespace !== undefined ? { namespace, name } : { name });
    }
    return requests;
  };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
