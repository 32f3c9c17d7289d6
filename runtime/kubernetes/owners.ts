/** Owners of an object: who manages it, and with whom it is deleted. All functions return a new object. */
import { controllerOf, type KubernetesObject, type OwnerReference } from './object.ts';
import { groupOf, keyOf } from './resource.ts';

/** An object that may be owned: one that is stored, is to be created, or is to be applied. */
export interface Ownable {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
}

export interface OwnerOptions {
  /** Foreground deletion of the owner waits for the object. Needs the right to update the owner's finalizers. Default false. */
  readonly blockOwnerDeletion?: boolean;
}

/** The object belongs to another controller already. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  readonly controller: OwnerReference;

  constructor(object: Ownable, controller: OwnerReference) {
    super(`${keyOf(object.metadata)} is controlled by ${controller.kind} ${controller.name} already`);
    this.controller = controller;
  }
}

/**
 * `object` with `owner` as its one controller: it is deleted with it, and its changes reconcile it. `owner` is to be a stored object.
 * Throws an {@link AlreadyOwnedError} when it has another controller, and a TypeError when `owner` lives in a namespace and
 * `object` does not live in the same.
 * @param options `blockOwnerDeletion` is true by default.
 */
export function setControllerReference<T extends Ownable>(
  owner: KubernetesObject,
  object: T,
  options: OwnerOptions = {},
): T {
  const controller = controllerOf({ metadata: { ownerReferences: object.metadata.ownerReferences ?? [] } });
  if (controller !== undefined && controller.uid !== owner.metadata.uid)
    throw new AlreadyOwnedError(object, controller);
  return withOwner(owner, object, controllerReference(owner, options));
}

/** `object` with `owner` as one of its owners, not as its controller: it is deleted when all are gone. Throws as {@link setControllerReference} does. */
export function setOwnerReference<T extends Ownable>(
  owner: KubernetesObject,
  object: T,
  { blockOwnerDeletion = false }: OwnerOptions = {},
): T {
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return withOwner(owner, object, { ...reference, ...(blockOwnerDeletion && { blockOwnerDeletion }) });
}

/**
 * A reference to `owner` as the controller of an object: for the literal of an object that is applied, of which the compiler then
 * checks every field. Checks nothing of the object; {@link setControllerReference} does.
 */
export function controllerReference(
  { apiVersion, kind, metadata }: KubernetesObject,
  { blockOwnerDeletion = true }: OwnerOptions = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion };
}

/** Whether `owner` is the controller of `object`, and not a namesake. */
export function isControlledBy(object: Ownable, owner: KubernetesObject): boolean {
  const { ownerReferences = [] } = object.metadata;
  return controllerOf({ metadata: { ownerReferences } })?.uid === owner.metadata.uid;
}

/** Whether `owner` is one of the owners of `object`, and not a namesake. */
export function hasOwner(object: Ownable, owner: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** `object` without `owner` among its owners; `object` itself when it is none of them. */
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

/** The garbage collector looks for an owner in the object's namespace; one that it does not find there has the object deleted. */
function checkNamespaces(owner: KubernetesObject, object: Ownable): void {
  const { namespace } = owner.metadata;
  if (namespace === undefined || namespace === object.metadata.namespace) return;
  const [owned, by] = [keyOf(object.metadata), `${owner.kind} ${keyOf(owner)}`];
  const why =
    object.metadata.namespace === undefined
      ? 'the one is cluster-scoped, the other is not'
      : 'they are in two namespaces';
  throw new TypeError(`${owned} cannot be owned by ${by}: ${why}`);
}

/** As the API server does, in whatever version; an owner that was made anew takes the place of its namesake. */
function isSameOwner(left: OwnerReference, right: OwnerReference): boolean {
  const [one, other] = [left, right].map(({ apiVersion, kind, name }) => `${groupOf(apiVersion)}/${kind}/${name}`);
  return one === other;
}
