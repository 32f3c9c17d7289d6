/** Comparing values that came as JSON. */

/**
 * Whether two JSON values are equal, whatever the order of their keys. Not `isDeepStrictEqual`: that one overflows the stack on
 * what is nested 3,000 deep, and the API server takes 10,000.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  const lefts: unknown[] = [left];
  const rights: unknown[] = [right];
  while (lefts.length > 0) {
    const a = lefts.pop();
    const b = rights.pop();
    if (a === b) continue;
    if (!isContainer(a) || !isContainer(b) || !haveSameKeys(a, b)) return false;
    for (const key of Object.keys(a)) {
      lefts.push(a[key]);
      rights.push(b[key]);
    }
  }
  return true;
}

type Container = Readonly<Record<string, unknown>>;

/** Lists are compared by index, as objects are by key. */
function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function haveSameKeys(a: Container, b: Container): boolean {
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key));
}
