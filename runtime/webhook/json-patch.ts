export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Returns an RFC 6902 patch that changes `oldValue` to `newValue`. Returns an empty list if the values are equal. The
 * patch contains only changed values, because JavaScript may have rounded large numbers in unchanged values. Lists are
 * compared by index.
 * @param path JSON pointer of `oldValue` and `newValue`. Default: the root of the document.
 */
export function createJsonPatch(oldValue: JsonValue, newValue: JsonValue, path = ''): readonly PatchOperation[] {
  if (oldValue === newValue) return [];
  if (isList(oldValue) && isList(newValue)) return diffLists(oldValue, newValue, path);
  if (isObject(oldValue) && isObject(newValue)) return diffObjects(oldValue, newValue, path);
  return [{ op: 'replace', path, value: newValue }];
}

function diffObjects(oldObject: JsonObject, newObject: JsonObject, path: string): readonly PatchOperation[] {
  const removedKeys = Object.keys(oldObject).filter((key) => !Object.hasOwn(newObject, key));
  const removals = removedKeys.map((key) => ({ op: 'remove', path: appendPointer(path, key) }) as const);
  const changes = Object.entries(newObject).flatMap(([key, value]): readonly PatchOperation[] => {
    const oldValue = Object.hasOwn(oldObject, key) ? oldObject[key] : undefined;
    return oldValue === undefined
      ? [{ op: 'add', path: appendPointer(path, key), value }]
      : createJsonPatch(oldValue, value, appendPointer(path, key));
  });
  return [...removals, ...changes];
}

function diffLists(
  oldList: readonly JsonValue[],
  newList: readonly JsonValue[],
  path: string,
): readonly PatchOperation[] {
  // The last items are removed first, because a removal changes the index of all later items.
  const removals = oldList.slice(newList.length).map((_, index) => {
    return { op: 'remove', path: appendPointer(path, String(oldList.length - 1 - index)) } as const;
  });
  const changes = newList.flatMap((value, index): readonly PatchOperation[] => {
    const oldValue = oldList[index];
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
