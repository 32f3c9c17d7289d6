/** Which objects to reconcile after a change of another object. */
import type { KubernetesObject, OwnerReference } from '../kubernetes/object.ts';
import { objectKeyFromObject, parseGroup, type Resource } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Returns the objects to reconcile after a change of `object`, like the function of Go's `EnqueueRequestsFromMapFunc`.
 * May be asynchronous, as cache reads are; a synchronous result is enqueued at once. An error is logged and reconciles
 * nothing.
 */
export type MapToRequests<T, Target extends KubernetesObject = KubernetesObject> = (
  object: T,
) => readonly Request<Target>[] | Promise<readonly Request<Target>[]>;

/** Returns the object itself. */
export function enqueueRequestForObject<T extends KubernetesObject>(object: T): readonly Request<T>[] {
  return [objectKeyFromObject(object)];
}

export interface EnqueueForOwnerOptions {
  /** Only the owner that controls the object; there is at most one. Default: every owner. */
  readonly onlyController?: boolean;
}

/** Returns the objects of kind `owner` that own the object. */
export function enqueueRequestForOwner<T extends KubernetesObject>(
  owner: Resource<T>,
  { onlyController = false }: EnqueueForOwnerOptions = {},
): (object: KubernetesObject) => readonly Request<T>[] {
  const isMatchingOwner = ({ apiVersion, kind, controller }: OwnerReference) =>
    kind === owner.kind && (!onlyController || controller === true) && parseGroup(apiVersion) === owner.group;
  return ({ metadata: { namespace, ownerReferences = [] } }) => {
    // A cluster-scoped object cannot have a namespaced owner.
    if (owner.namespaced && namespace === undefined) return [];
    const location = owner.namespaced ? { namespace } : {};
    const owners = ownerReferences.filter(isMatchingOwner).map(({ name }) => ({ ...location, name }));
    return owners as unknown as readonly Request<T>[]; // with a namespace if the kind is namespaced
  };
}
