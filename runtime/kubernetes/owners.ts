/**
 * Owners of an object: the object that controls it, and the objects with which it is deleted. All functions return a
 * new object.
 */
import { getControllerReference, type KubernetesObject, type OwnerReference } from './object.ts';
import { formatKey, parseGroup } from './resource.ts';

/** An object that can have owners: stored, to be created, or to be applied. */
export interface Ownable {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
}

export interface OwnerReferenceOptions {
  /** Foreground deletion of the owner waits for the object. Needs the right to update the owner's finalizers. Default false. */
  readonly blockOwnerDeletion?: boolean;
}

/** Another controller already owns the object. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  readonly controller: OwnerReference;

  constructor(object: Ownable, controller: OwnerReference) {
    super(`${formatKey(object.metadata)} is controlled by ${controller.kind} ${controller.name} already`);
    this.controller = controller;
  }
}

/**
 * Returns `object` with `owner` as its controller: the object is deleted with the owner, and its changes reconcile the
 * owner. `owner` must be a stored object. Throws an {@link AlreadyOwnedError} when the object has another controller,
 * and a TypeError when `owner` is namespaced and `object` is not in the same namespace.
 * @param options `blockOwnerDeletion` is true by default.
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
 * Returns `object` with `owner` as one of its owners, but not as its controller: the object is deleted when all owners
 * are gone. Throws like {@link setControllerReference}.
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
 * Returns a reference to `owner` as the controller of an object. Use it in the literal of an object to apply, so that
 * the compiler checks every field. It does not check the object; {@link setControllerReference} does.
 */
export function controllerReference(
  { apiVersion, kind, metadata }: KubernetesObject,
  { blockOwnerDeletion = true }: OwnerReferenceOptions = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion };
}

/** Whether `owner` itself, not another object with its name, is the controller of `object`. */
export function isControlledBy(object: Ownable, owner: KubernetesObject): boolean {
  const { ownerReferences = [] } = object.metadata;
  return getControllerReference({ metadata: { ownerReferences } })?.uid === owner.metadata.uid;
}

/** Whether `owner` itself, not another object with its name, is one of the owners of `object`. */
export function hasOwner(object: Ownable, owner: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** Returns `object` without `owner` among its owners, or `object` itself when `owner` is not one of them. */
export function removeOwnerReference<T extends Ownable>(owner: KubernetesObject, object: T): T {
  if (!hasOwner(object, owner)) return object;
  const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function withOwner<T extends Ownable>(owner: KubernetesObject, object: T, reference: OwnerReference): T {
  checkNamespaces(owner, object);
  const owners = object.metadata.ownerReferences ?? [];
  const index = owners.findIndex((other) => isSameOwner(other, reference));
  const ownerReferences = index < 0 ? [...owners, reference] : owners.with(index, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/**
 * The garbage collector looks for an owner in the object's namespace, and deletes the object if it does not find the
 * owner there.
 */
function checkNamespaces(owner: KubernetesObject, object: Ownable): void {
  const { namespace } = owner.metadata;
  if (namespace === undefined || namespace === object.metadata.namespace) return;
  const [owned, by] = [formatKey(object.metadata), `${owner.kind} ${formatKey(owner)}`];
  const why =
    object.metadata.namespace === undefined
      ? 'the owner is namespaced and the object is cluster-scoped'
      : 'they are in different namespaces';
  throw new TypeError(`${owned} cannot be owned by ${by}: ${why}`);
}

/** Compares owners as the API server does, ignoring the version; a re-created owner replaces its predecessor. */
function isSameOwner(left: OwnerReference, right: OwnerReference): boolean {
  const [one, other] = [left, right].map(({ apiVersion, kind, name }) => `${parseGroup(apiVersion)}/${kind}/${name}`);
  return one === other;
}
