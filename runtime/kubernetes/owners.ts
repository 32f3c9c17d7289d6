import { getControllerReference, type KubernetesObject, type OwnerReference } from './object.ts';
import { formatKey, getGroup } from './resource.ts';

/** An object that can have owners. */
export interface Ownable {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
}

/** Options of the functions that add owner references. */
export interface OwnerReferenceOptions {
  /**
   * Whether foreground deletion of the owner waits for the deletion of the object. If true, the client may need
   * permission to update the finalizers of the owner. Default false.
   */
  readonly blockOwnerDeletion?: boolean;
}

/** The error of {@link setControllerReference} for an object that a different owner already controls. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  /** The owner that already controls the object. */
  readonly controller: OwnerReference;

  constructor(object: Ownable, controller: OwnerReference) {
    super(`${formatKey(object.metadata)} is controlled by ${controller.kind} ${controller.name} already`);
    this.controller = controller;
  }
}

/**
 * Returns a copy of `object` with `owner` as its controller. After the deletion of the owner, the garbage collector
 * deletes the object. Each change of the object starts a reconcile of the owner. `owner` must be a stored object.
 * Throws an {@link AlreadyOwnedError} if a different owner already controls the object. Throws a TypeError if `owner`
 * is namespaced and `object` is outside its namespace.
 * @param options The default of `blockOwnerDeletion` is true.
 */
export function setControllerReference<T extends Ownable>(
  owner: KubernetesObject,
  object: T,
  options: OwnerReferenceOptions = {},
): T {
  const controller = getControllerReference({ metadata: { ownerReferences: object.metadata.ownerReferences ?? [] } });
  if (controller !== undefined && controller.uid !== owner.metadata.uid)
    throw new AlreadyOwnedError(object, controller);
  return withOwner(owner, object, controllerReference(owner, options));
}

/**
 * Returns a copy of `object` with `owner` as an additional owner that is not the controller. After the deletion of all
 * owners, the garbage collector deletes the object. Throws a TypeError if `owner` is namespaced and `object` is outside
 * its namespace.
 */
export function setOwnerReference<T extends Ownable>(
  owner: KubernetesObject,
  object: T,
  { blockOwnerDeletion = false }: OwnerReferenceOptions = {},
): T {
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return withOwner(owner, object, { ...reference, ...(blockOwnerDeletion && { blockOwnerDeletion }) });
}

/**
 * Returns an owner reference that makes `owner` the controller of an object. Unlike {@link setControllerReference},
 * this function skips the checks of namespaces and existing controllers.
 */
export function controllerReference(
  { apiVersion, kind, metadata }: KubernetesObject,
  { blockOwnerDeletion = true }: OwnerReferenceOptions = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion };
}

/**
 * Returns whether `owner` is the controller of `object`. Compares the UID, because a new object may have the name of a
 * deleted owner.
 */
export function isControlledBy(object: Ownable, owner: KubernetesObject): boolean {
  const { ownerReferences = [] } = object.metadata;
  return getControllerReference({ metadata: { ownerReferences } })?.uid === owner.metadata.uid;
}

/**
 * Returns whether `owner` is an owner of `object`. Compares the UID, because a new object may have the name of a
 * deleted owner.
 */
export function hasOwner(object: Ownable, owner: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** Returns a copy of `object` without the reference to `owner`. Returns `object` itself if `owner` is not an owner. */
export function removeOwnerReference<T extends Ownable>(owner: KubernetesObject, object: T): T {
  if (!hasOwner(object, owner)) return object;
  const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function withOwner<T extends Ownable>(owner: KubernetesObject, object: T, reference: OwnerReference): T {
  checkOwnerNamespace(owner, object);
  const owners = object.metadata.ownerReferences ?? [];
  const index = owners.findIndex((other) => isSameOwner(other, reference));
  const ownerReferences = index < 0 ? [...owners, reference] : owners.with(index, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** Throws for an owner in a different namespace, because the garbage collector would delete the object. */
function checkOwnerNamespace(owner: KubernetesObject, object: Ownable): void {
  const { namespace } = owner.metadata;
  if (namespace === undefined || namespace === object.metadata.namespace) return;
  const [owned, by] = [formatKey(object.metadata), `${owner.kind} ${formatKey(owner)}`];
  const reason =
    object.metadata.namespace === undefined
      ? 'the owner is namespaced and the object is cluster-scoped'
      : 'they are in different namespaces';
  throw new TypeError(`${owned} cannot be owned by ${by}: ${reason}`);
}

/**
 * Compares the group, kind and name of the owners, as the API server does. The UID is ignored, so that the reference to
 * a re-created owner replaces the old reference.
 */
function isSameOwner(left: OwnerReference, right: OwnerReference): boolean {
  const [one, other] = [left, right].map(({ apiVersion, kind, name }) => `${getGroup(apiVersion)}/${kind}/${name}`);
  return one === other;
}
