/** Which objects to reconcile because something happened to another one. */
import type { KubernetesObject, OwnerReference } from '../kubernetes/object.ts';
import { groupOf, objectKeyOf, type Resource } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * The objects to reconcile because something happened to `object`: what Go's `EnqueueRequestsFromMapFunc` takes. May be asynchronous, as
 * reads of the cache are; what comes at once is enqueued at once. An error is logged, and reconciles nothing.
 */
export type MapToRequests<T, Reconciled extends KubernetesObject = KubernetesObject> = (
  object: T,
) => readonly Request<Reconciled>[] | Promise<readonly Request<Reconciled>[]>;

/** The object itself. */
export function enqueueRequestForObject<T extends KubernetesObject>(object: T): readonly Request<T>[] {
  return [objectKeyOf(object)];
}

export interface OwnerOptions {
  /** Only the owner that controls the object, of which there is at most one. Default: every owner. */
  readonly onlyController?: boolean;
}

/** The objects of kind `owner` that own the object. */
export function enqueueRequestForOwner<T extends KubernetesObject>(
  owner: Resource<T>,
  { onlyController = false }: OwnerOptions = {},
): (object: KubernetesObject) => readonly Request<T>[] {
  const isWanted = ({ apiVersion, kind, controller }: OwnerReference) =>
    kind === owner.kind && (!onlyController || controller === true) && groupOf(apiVersion) === owner.group;
  return ({ metadata: { namespace, ownerReferences = [] } }) => {
    // Nothing that no namespace holds is owned by something in one.
    if (owner.namespaced && namespace === undefined) return [];
    const location = owner.namespaced ? { namespace } : {};
    const owners = ownerReferences.filter(isWanted).map(({ name }) => ({ ...location, name }));
    return owners as unknown as readonly Request<T>[]; // in a namespace where the kind is
  };
}
