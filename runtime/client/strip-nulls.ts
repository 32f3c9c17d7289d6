/**
 * Removes nulls from JSON, because `null` means absent in the Kubernetes API. Go encodes a zero time, a nil list and a
 * nil map as `null`. Clients may send `null` in optional fields.
 */

/** Parses JSON and removes nulls. Throws a SyntaxError if the text is not JSON. */
export function parseWithoutNulls(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Most texts contain no null, and the search for `null` is a hundred times faster than `stripNulls`.
  return text.includes('null') ? stripNulls(value) : value;
}

/**
 * Returns a JSON value without null fields and null list items, or `undefined` if the value is null. Returns the same
 * object if the object contains no null. Do not write the result to the API server, because removed nulls change the
 * indexes of list items.
 */
export function stripNulls(value: unknown): unknown {
  return value === null ? undefined : copyWithoutNulls(value, FIELD_AND_ITEM_FILTER);
}

/**
 * Removes null fields, but not null list items. The result can be written to the API server, which distinguishes a
 * missing list item from a null list item.
 */
export function stripNullFields<T extends object>(value: T): T {
  // A field that may be null is also optional in T.
  return copyWithoutNulls(value, FIELD_FILTER) as T;
}

/** Returns whether an object or a list contains a null to remove. */
type NullFilter = (collection: object) => boolean;

const FIELD_AND_ITEM_FILTER: NullFilter = () => true;
const FIELD_FILTER: NullFilter = (collection) => !Array.isArray(collection);

/** Uses a loop instead of recursion, because the API server accepts JSON with 10,000 levels of nesting. */
function copyWithoutNulls(value: unknown, shouldStrip: NullFilter): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copies = new Map<unknown, object>();
  const { collections, parentIndexes, hasNull } = listCollections(value, shouldStrip);
  // Children are after their collection in the list. The loop copies children first.
  for (let index = collections.length - 1; index >= 0; index--) {
    const collection = collections[index];
    if (collection === undefined || !hasNull[index]) continue;
    copies.set(collection, copyCollection(collection, copies, shouldStrip));
    hasNull[parentIndexes[index] ?? 0] = true;
  }
  return copies.get(value) ?? value;
}

interface CollectionList {
  /** All objects and lists, in an order in which parents are before their children. */
  readonly collections: readonly object[];
  /** The index of the parent of each object and list. */
  readonly parentIndexes: readonly number[];
  /** Whether each object or list contains a null that must be removed. */
  readonly hasNull: boolean[];
}

function listCollections(root: object, shouldStrip: NullFilter): CollectionList {
  const collections = [root];
  const parentIndexes = [0];
  const hasNull = [false];
  for (let index = 0; index < collections.length; index++) {
    for (const child of listChildren(collections[index])) {
      if (child === null) hasNull[index] ||= shouldStrip(collections[index] ?? root);
      else if (typeof child === 'object') {
        collections.push(child);
        parentIndexes.push(index);
        hasNull.push(false);
      }
    }
  }
  return { collections, parentIndexes, hasNull };
}

function listChildren(collection: object | undefined): readonly unknown[] {
  return Array.isArray(collection) ? collection : Object.values(collection ?? {});
}

/** @param copies Copies of the children that contained a null. */
function copyCollection(collection: object, copies: ReadonlyMap<unknown, object>, shouldStrip: NullFilter): object {
  const replaceChild = (child: unknown) => copies.get(child) ?? child;
  if (Array.isArray(collection)) {
    return (shouldStrip(collection) ? collection.filter((item) => item !== null) : collection).map(replaceChild);
  }
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(collection)) {
    if (child === null) continue;
    // An assignment to this key would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { ...DATA_PROPERTY_ATTRIBUTES, value: replaceChild(child) });
    else copy[key] = replaceChild(child);
  }
  return copy;
}

const DATA_PROPERTY_ATTRIBUTES = { configurable: true, enumerable: true, writable: true } as const;
