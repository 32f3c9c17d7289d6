/** Functions that select the objects to reconcile after a change of another object. */
import type { KubernetesObject, OwnerReference } from '../kubernetes/object.ts';
import { getGroup, objectKeyFromObject, type Resource } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Returns the objects to reconcile after a change of `object`, like the function that Go's `EnqueueRequestsFromMapFunc`
 * takes. The function may return a promise, for example to read from the cache. If the function throws, the controller
 * logs the error and ignores the event.
 */
export type MapToRequests<T, Target extends KubernetesObject = KubernetesObject> = (
  object: T,
) => readonly Request<Target>[] | Promise<readonly Request<Target>[]>;

/** Returns the key of the object itself. */
export function enqueueRequestForObject<T extends KubernetesObject>(object: T): readonly Request<T>[] {
  return [objectKeyFromObject(object)];
}

/** Options of {@link enqueueRequestForOwner}. */
export interface EnqueueForOwnerOptions {
  /** Returns only the owner that controls the object. Default: returns every owner. */
  readonly onlyController?: boolean;
}

/** Returns a function that maps an object to its owners of the kind `owner`. */
export function enqueueRequestForOwner<T extends KubernetesObject>(
  owner: Resource<T>,
  { onlyController = false }: EnqueueForOwnerOptions = {},
): (object: KubernetesObject) => readonly Request<T>[] {
  const isMatchingOwner = ({ apiVersion, kind, controller }: OwnerReference) =>
    kind === owner.kind && (!onlyController || controller === true) && getGroup(apiVersion) === owner.group;
  return ({ metadata: { namespace, ownerReferences = [] } }) => {
    // A cluster-scoped object cannot have a namespaced owner.
    if (owner.namespaced && namespace === undefined) return [];
    const namespaceField = owner.namespaced ? { namespace } : {};
    const owners = ownerReferences.filter(isMatchingOwner).map(({ name }) => ({ ...namespaceField, name }));
    return owners as unknown as readonly Request<T>[]; // has a namespace if the kind is namespaced
  };
}
