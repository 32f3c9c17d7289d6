import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../runtime/kubernetes/object.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import type { Actor } from './observed-reconcile.ts';

/** One change of one object. Without `old` it is new, without `object` it is gone. */
export interface ObjectChange<T> {
  readonly old?: T;
  readonly object?: T;
  readonly by: Actor;
}

/** The stored objects of one kind. Listeners get each change at the instant it happens. */
export class ObjectCollection<T extends KubernetesObject & { readonly status?: unknown }> {
  readonly #byKey = new Map<string, T>();
  readonly #byUid = new Map<string, T>();
  readonly #byOwner = new Map<string, Map<string, T>>();
  readonly #getOwner: (object: T) => string | undefined;
  readonly #listeners = new Set<(change: ObjectChange<T>) => void>();

  constructor(getOwner: (object: T) => string | undefined = () => undefined) {
    this.#getOwner = getOwner;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  getByUid(uid: string): T | undefined {
    return this.#byUid.get(uid);
  }

  list(): readonly T[] {
    return [...this.#byKey.values()];
  }

  listByOwner(uid: string): readonly T[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  /** Adds or replaces `object`; returns the stored object, which is the old one when only the version differs. */
  put(object: T, by: Actor): T {
    const old = this.#byKey.get(formatKey(object));
    const stored = freeze(old !== undefined && isSameExceptVersion(old, object) ? old : object);
    this.#byKey.set(formatKey(stored), stored);
    this.#byUid.set(stored.metadata.uid, stored);
    const owner = this.#getOwner(stored);
    if (owner !== undefined) this.#siblings(owner).set(stored.metadata.uid, stored);
    this.#notify({ ...(old === undefined ? {} : { old }), object: stored, by });
    return stored;
  }

  remove(key: string, by: Actor): void {
    const old = this.#byKey.get(key);
    if (old === undefined) return;
    this.#byKey.delete(key);
    this.#byUid.delete(old.metadata.uid);
    const owner = this.#getOwner(old);
    if (owner !== undefined) this.#siblings(owner).delete(old.metadata.uid);
    this.#notify({ old, by });
  }

  /** Returns a function that unsubscribes. */
  listen(listener: (change: ObjectChange<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #siblings(owner: string): Map<string, T> {
    let siblings = this.#byOwner.get(owner);
    if (siblings === undefined) {
      siblings = new Map();
      this.#byOwner.set(owner, siblings);
    }
    return siblings;
  }

  #notify(change: ObjectChange<T>): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

function isSameExceptVersion(left: KubernetesObject, right: KubernetesObject): boolean {
  const { resourceVersion } = left.metadata;
  return isDeepStrictEqual(left, { ...right, metadata: { ...right.metadata, resourceVersion } });
}

/** A reader must not change what a cache and a server share. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
