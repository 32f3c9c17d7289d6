export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Returns an RFC 6902 patch that changes `from` to `to`. Returns an empty list if `from` and `to` are equal. The patch
 * contains only changed values, because JavaScript may have rounded large numbers in unchanged values. Lists are
 * compared by index.
 * @param path JSON pointer of `from` and `to`. Default: the root of the document.
 */
export function createJsonPatch(from: JsonValue, to: JsonValue, path = ''): readonly PatchOperation[] {
  if (from === to) return [];
  if (isList(from) && isList(to)) return diffLists(from, to, path);
  if (isObject(from) && isObject(to)) return diffObjects(from, to, path);
  return [{ op: 'replace', path, value: to }];
}

function diffObjects(from: JsonObject, to: JsonObject, path: string): readonly PatchOperation[] {
  const removedKeys = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const removals = removedKeys.map((key) => ({ op: 'remove', path: appendPointer(path, key) }) as const);
  const changes = Object.entries(to).flatMap(([key, value]): readonly PatchOperation[] => {
    const oldValue = Object.hasOwn(from, key) ? from[key] : undefined;
    return oldValue === undefined
      ? [{ op: 'add', path: appendPointer(path, key), value }]
      : createJsonPatch(oldValue, value, appendPointer(path, key));
  });
  return [...removals, ...changes];
}

function diffLists(from: readonly JsonValue[], to: readonly JsonValue[], path: string): readonly PatchOperation[] {
  // The last items are removed first, because a removal changes the index of all later items.
  const removals = from.slice(to.length).map((_, index) => {
    return { op: 'remove', path: appendPointer(path, String(from.length - 1 - index)) } as const;
  });
  const changes = to.flatMap((value, index): readonly PatchOperation[] => {
    const oldValue = from[index];
    return oldValue === undefined
      ? [{ op: 'add', path: appendPointer(path, String(index)), value }]
      : createJsonPatch(oldValue, value, appendPointer(path, String(index)));
  });
  return [...removals, ...changes];
}

/** Appends a key to a JSON pointer. The escape sequence of `/` contains `~`, so `~` is escaped first. */
function appendPointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Array.isArray does not narrow the type of a readonly array. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}
