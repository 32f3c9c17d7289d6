/** Compares JSON values. */

/**
 * Returns whether two JSON values are equal, with keys in any order. It does not use `isDeepStrictEqual`,
 * which overflows the stack at a nesting of 3,000: the API server accepts 10,000.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  const lefts: JsonContainer[] = [];
  const rights: JsonContainer[] = [];
  /** Queues two containers for a later comparison; false when they cannot be equal. */
  const mayBeEqual = (a: unknown, b: unknown): boolean => {
    if (a === b) return true;
    if (!isContainer(a) || !isContainer(b)) return false;
    lefts.push(a);
    rights.push(b);
    return true;
  };
  if (!mayBeEqual(left, right)) return false;
  for (let a = lefts.pop(), b = rights.pop(); a !== undefined && b !== undefined; a = lefts.pop(), b = rights.pop()) {
    const keys = Object.keys(a);
    if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key) || !mayBeEqual(a[key], b[key])) return false;
    }
  }
  return true;
}

type JsonContainer = Readonly<Record<string, unknown>>;

/** Compares lists by index, as it compares objects by key. */
function isContainer(value: unknown): value is JsonContainer {
  return typeof value === 'object' && value !== null;
}
