/** The difference of two JSON values as RFC 6902 has it. */

/** A value as JSON text can hold it, so without `undefined`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The operations that make `to` of `from`, in order; none when they are equal. Only what differs is named, so that numbers
 * too large for JavaScript stay as they are in whatever is not touched. Lists are compared item by item.
 * @param path JSON pointer of the two; empty for whole documents.
 */
export function jsonPatch(from: JsonValue, to: JsonValue, path = ''): readonly PatchOperation[] {
  if (from === to) return [];
  if (isList(from) && isList(to)) return listPatch(from, to, path);
  if (isObject(from) && isObject(to)) return objectPatch(from, to, path);
  return [{ op: 'replace', path, value: to }];
}

function objectPatch(from: JsonObject, to: JsonObject, path: string): readonly PatchOperation[] {
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const removals = removed.map((key) => ({ op: 'remove', path: pointer(path, key) }) as const);
  const changes = Object.entries(to).flatMap(([key, value]): readonly PatchOperation[] => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    return before === undefined
      ? [{ op: 'add', path: pointer(path, key), value }]
      : jsonPatch(before, value, pointer(path, key));
  });
  return [...removals, ...changes];
}

function listPatch(from: readonly JsonValue[], to: readonly JsonValue[], path: string): readonly PatchOperation[] {
  // From the end, so that what is removed moves nothing that is yet to be named.
  const removals = from.slice(to.length).map((_, index) => {
    return { op: 'remove', path: pointer(path, String(from.length - 1 - index)) } as const;
  });
  const changes = to.flatMap((value, index): readonly PatchOperation[] => {
    const before = from[index];
    return before === undefined
      ? [{ op: 'add', path: pointer(path, String(index)), value }]
      : jsonPatch(before, value, pointer(path, String(index)));
  });
  return [...removals, ...changes];
}

/** One step further down. `~` goes first, or it would escape the escapes. */
function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Array.isArray does not narrow a read-only list. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}
