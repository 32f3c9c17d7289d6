/**
 * Returns whether two JSON values are equal. The order of keys is ignored. The comparison uses its own stacks instead
 * of recursion, because the API server accepts 10,000 levels of nesting, which overflow the call stack in
 * `isDeepStrictEqual`.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const leftStack: JsonContainer[] = [];
  const rightStack: JsonContainer[] = [];
  /**
   * Returns false if the values differ. Adds two objects or two lists to the stacks, to compare their content later.
   */
  const canBeEqual = (a: unknown, b: unknown): boolean => {
    if (a === b) return true;
    if (!isContainer(a) || !isContainer(b)) return false;
    leftStack.push(a);
    rightStack.push(b);
    return true;
  };
  if (!canBeEqual(left, right)) return false;
  for (
    let a = leftStack.pop(), b = rightStack.pop();
    a !== undefined && b !== undefined;
    a = leftStack.pop(), b = rightStack.pop()
  ) {
    const keys = Object.keys(a);
    if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
    if (!keys.every((key) => Object.hasOwn(b, key) && canBeEqual(a[key], b[key]))) return false;
  }
  return true;
}

type JsonContainer = Readonly<Record<string, unknown>>;

/** Returns whether the value is an object or a list. */
function isContainer(value: unknown): value is JsonContainer {
  return typeof value === 'object' && value !== null;
}
