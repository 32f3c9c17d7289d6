import type { CachedListOptions } from '../client/client.ts';
import { ParsedLabelSelector } from '../client/label-selector.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey } from '../kubernetes/resource.ts';

type IndexErrorHandler = (error: unknown, location: { readonly index: string; readonly object: string }) => void;

/**
 * Returns the values under which the index contains the object. The index omits objects without values. The function
 * must return the same values for the same object every time.
 */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Stores the objects of one kind by key, and in any number of field indexes. */
export class Store<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, FieldIndex<T>>();
  readonly #onIndexError: IndexErrorHandler;

  /**
   * @param onIndexError Called when an index function throws. After the error, the store contains the object, but the
   * index does not.
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

  /** Returns the objects that have `indexValue` in the index `name`. Throws if the index does not exist. */
  byIndex(name: string, indexValue: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`no field index "${name}"; add it with cache.indexField before the manager starts`);
    const objects: T[] = [];
    for (const key of index.keysByValue.get(indexValue) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** Adds a field index, which also contains the existing objects. Throws if an index with this name exists. */
  addIndex(name: string, extractValues: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`field index "${name}" exists already`);
    const index: FieldIndex<T> = { name, extractValues, keysByValue: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) this.#addToIndex(index, key, object);
  }

  /** Copies missing indexes from another store. */
  copyIndexes({ indexes }: Pick<Store<T>, 'indexes'>): void {
    if (indexes.size === this.#indexes.size) return;
    for (const { name, extractValues } of indexes.values()) {
      if (!this.#indexes.has(name)) this.addIndex(name, extractValues);
    }
  }

  get indexes(): ReadonlyMap<string, Pick<FieldIndex<T>, 'name' | 'extractValues'>> {
    return this.#indexes;
  }

  /** Adds or replaces `object`. Returns the replaced object. */
  upsert(object: T): T | undefined {
    const key = formatKey(object);
    const oldObject = this.#objects.get(key);
    for (const index of this.#indexes.values()) {
      if (oldObject !== undefined) removeFromIndex(index, key, oldObject);
      this.#addToIndex(index, key, object);
    }
    this.#objects.set(key, object);
    return oldObject;
  }

  /** Removes and returns the object, or returns `undefined` if the store does not contain it. */
  remove(key: string): T | undefined {
    const oldObject = this.#objects.get(key);
    if (oldObject === undefined) return undefined;
    for (const index of this.#indexes.values()) removeFromIndex(index, key, oldObject);
    this.#objects.delete(key);
    return oldObject;
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
  /** Contains no empty sets, so that values without objects use no memory. */
  readonly keysByValue: Map<string, Set<string>>;
}

/** Returns the objects of a store that match the options of a list. */
export function selectObjects<T extends KubernetesObject>(
  store: Pick<Store<T>, 'list' | 'byIndex'>,
  { namespace, labelSelector, index, fieldSelector }: CachedListOptions,
): readonly T[] {
  if (fieldSelector !== undefined) throw new TypeError('list: the cache has no field selectors; add an index');
  const parsedSelector = labelSelector === undefined ? undefined : new ParsedLabelSelector(labelSelector);
  const objects = index ? store.byIndex(index.name, index.value) : store.list();
  if (namespace === undefined && parsedSelector === undefined) return objects;
  return objects.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) &&
      (parsedSelector?.matches(metadata.labels) ?? true),
  );
}

function removeFromIndex<T>(index: FieldIndex<T>, key: string, object: T): void {
  try {
    for (const value of index.extractValues(object)) removeKey(index, value, key);
  } catch {
    // The index function throws for the object, so the values of the object in the index are unknown.
    for (const value of index.keysByValue.keys()) removeKey(index, value, key);
  }
}

function removeKey<T>({ keysByValue }: FieldIndex<T>, indexValue: string, key: string): void {
  const keys = keysByValue.get(indexValue);
  keys?.delete(key);
  if (keys?.size === 0) keysByValue.delete(indexValue);
}
