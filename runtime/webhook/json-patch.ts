/** Computes the RFC 6902 patch between two JSON values. */

/** A JSON value, so without `undefined`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Returns the operations that convert `from` to `to`, in order; an empty list when they are equal. Only differences get
 * an operation, so that numbers too large for JavaScript stay exact in unchanged parts. Lists are compared item by
 * item.
 * @param path JSON pointer of both values; empty for whole documents.
 */
export function createJsonPatch(from: JsonValue, to: JsonValue, path = ''): readonly PatchOperation[] {
  if (from === to) return [];
  if (isList(from) && isList(to)) return diffLists(from, to, path);
  if (isObject(from) && isObject(to)) return diffObjects(from, to, path);
  return [{ op: 'replace', path, value: to }];
}

function diffObjects(from: JsonObject, to: JsonObject, path: string): readonly PatchOperation[] {
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const removals = removed.map((key) => ({ op: 'remove', path: appendPointer(path, key) }) as const);
  const changes = Object.entries(to).flatMap(([key, value]): readonly PatchOperation[] => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    return before === undefined
      ? [{ op: 'add', path: appendPointer(path, key), value }]
      : createJsonPatch(before, value, appendPointer(path, key));
  });
  return [...removals, ...changes];
}

function diffLists(from: readonly JsonValue[], to: readonly JsonValue[], path: string): readonly PatchOperation[] {
  // From the end, so that a removal does not shift items that are removed later.
  const removals = from.slice(to.length).map((_, index) => {
    return { op: 'remove', path: appendPointer(path, String(from.length - 1 - index)) } as const;
  });
  const changes = to.flatMap((value, index): readonly PatchOperation[] => {
    const before = from[index];
    return before === undefined
      ? [{ op: 'add', path: appendPointer(path, String(index)), value }]
      : createJsonPatch(before, value, appendPointer(path, String(index)));
  });
  return [...removals, ...changes];
}

/** Appends one step. `~` is escaped first, because the other escape contains it. */
function appendPointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Array.isArray does not narrow a read-only list. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}
