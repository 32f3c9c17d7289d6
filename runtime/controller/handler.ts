/** Which objects to reconcile after a change of another object. */
import type { KubernetesObject, OwnerReference } from '../kubernetes/object.ts';
import { groupOf, objectKeyOf, type Resource } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Returns the objects to reconcile after a change of `object`, like the function of Go's `EnqueueRequestsFromMapFunc`.
 * May be asynchronous, as cache reads are; a synchronous result is enqueued at once. An error is logged and reconciles
 * nothing.
 */
export type MapToRequests<T, Reconciled extends KubernetesObject = KubernetesObject> = (
  object: T,
) => readonly Request<Reconciled>[] | Promise<readonly Request<Reconciled>[]>;

/** Returns the object itself. */
export function enqueueRequestForObject<T extends KubernetesObject>(object: T): readonly Request<T>[] {
  return [objectKeyOf(object)];
}

export interface OwnerOptions {
  /** Only the owner that controls the object; there is at most one. Default: every owner. */
  readonly onlyController?: boolean;
}

/** Returns the objects of kind `owner` that own the object. */
export function enqueueRequestForOwner<T extends KubernetesObject>(
  owner: Resource<T>,
  { onlyController = false }: OwnerOptions = {},
): (object: KubernetesObject) => readonly Request<T>[] {
  const isWanted = ({ apiVersion, kind, controller }: OwnerReference) =>
    kind === owner.kind && (!onlyController || controller === true) && groupOf(apiVersion) === owner.group;
  return ({ metadata: { namespace, ownerReferences = [] } }) => {
    // A cluster-scoped object cannot have a namespaced owner.
    if (owner.namespaced && namespace === undefined) return [];
    const location = owner.namespaced ? { namespace } : {};
    const owners = ownerReferences.filter(isWanted).map(({ name }) => ({ ...location, name }));
    return owners as unknown as readonly Request<T>[]; // with a namespace if the kind is namespaced
  };
}
