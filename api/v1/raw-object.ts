/**
 * Reading objects of which nothing is known for sure. A webhook is called before anything else has looked at them, and by API
 * servers whose CRD may be older than this code.
 */

/** The value at the end of `path`; `undefined` where a part of the path is missing, or is no object. Null counts as missing. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value ?? undefined;
}

/** Whether `value` is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an update changes what is at the end of `path`. A create, which has no `old`, changes everything. */
export function isChanged(object: unknown, old: unknown, ...path: readonly string[]): boolean {
  return old === undefined || !isSameJson(valueAt(object, ...path), valueAt(old, ...path));
}

/** Not `isDeepStrictEqual`: that one overflows the stack on what is nested 3,000 deep, and the API server takes 10,000. */
function isSameJson(left: unknown, right: unknown): boolean {
  const pairs: Pair[] = [[left, right]];
  for (const [a, b] of pairs) {
    if (a === b) continue;
    const children = childPairs(a, b);
    if (children === undefined) return false;
    for (const pair of children) pairs.push(pair);
  }
  return true;
}

type Pair = readonly [unknown, unknown];

/** What must be the same for `a` and `b` to be; `undefined` when they differ whatever is in them. */
function childPairs(a: unknown, b: unknown): readonly Pair[] | undefined {
  const isComparable = (isRecord(a) && isRecord(b)) || (Array.isArray(a) && Array.isArray(b));
  if (!isComparable) return undefined;
  const values = new Map<string, unknown>(Object.entries(b));
  const entries = Object.entries(a);
  if (entries.length !== values.size || entries.some(([name]) => !values.has(name))) return undefined;
  return entries.map(([name, value]) => [value, values.get(name)]);
}
