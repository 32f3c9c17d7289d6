import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey } from '../kubernetes/resource.ts';

type IndexErrorHandler = (error: unknown, where: { readonly index: string; readonly object: string }) => void;

/**
 * Returns the values of an object in an index; with an empty list, the index omits the object. Must return the same
 * values for the same object every time.
 */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * Objects of one kind by key and by any number of field indexes. Every change updates the indexes before it returns.
 */
export class Store<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, FieldIndex<T>>();
  readonly #onIndexError: IndexErrorHandler;

  /**
   * @param onIndexError Called when an index function fails. The object is then in the store, but not in that index.
   */
  constructor(onIndexError: IndexErrorHandler = () => {}) {
    this.#onIndexError = onIndexError;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  /** Objects with `value` in the index `name`. Throws when the index does not exist. */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`no field index "${name}"; add it with cache.indexField before the manager starts`);
    const found: T[] = [];
    for (const key of index.keysByValue.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Adds a field index with the existing objects. Throws when the name is taken. */
  addIndex(name: string, extractValues: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`field index "${name}" exists already`);
    const index: FieldIndex<T> = { name, extractValues, keysByValue: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) this.#addToIndex(index, key, object);
  }

  /** Adds or replaces `object`; returns the replaced object. */
  upsert(object: T): T | undefined {
    const key = formatKey(object);
    const old = this.#objects.get(key);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) removeFromIndex(index, key, old);
      this.#addToIndex(index, key, object);
    }
    this.#objects.set(key, object);
    return old;
  }

  /** Removes the object and returns it, or returns `undefined` when the store does not have it. */
  remove(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    for (const index of this.#indexes.values()) removeFromIndex(index, key, old);
    this.#objects.delete(key);
    return old;
  }

  #addToIndex(index: FieldIndex<T>, key: string, object: T): void {
    try {
      for (const value of index.extractValues(object)) {
        const keys = index.keysByValue.get(value);
        if (keys) keys.add(key);
        else index.keysByValue.set(value, new Set([key]));
      }
    } catch (error) {
      this.#onIndexError(error, { index: index.name, object: key });
    }
  }
}

interface FieldIndex<T> {
  readonly name: string;
  readonly extractValues: IndexFunction<T>;
  /** Holds no empty set, so that short-lived values leave nothing behind. */
  readonly keysByValue: Map<string, Set<string>>;
}

function removeFromIndex<T>(index: FieldIndex<T>, key: string, object: T): void {
  try {
    for (const value of index.extractValues(object)) removeKey(index, value, key);
  } catch {
    // The index function failed for the object, so its values in the index are unknown.
    for (const value of index.keysByValue.keys()) removeKey(index, value, key);
  }
}

function removeKey<T>({ keysByValue }: FieldIndex<T>, value: string, key: string): void {
  const keys = keysByValue.get(value);
  keys?.delete(key);
  if (keys?.size === 0) keysByValue.delete(value);
}
