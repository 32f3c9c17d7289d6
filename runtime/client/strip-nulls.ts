/**
 * Removes nulls at the boundary, where `null` means absent. Go writes a zero time, and a list or map that is nil, as
 * `null`; clients may send it in any optional field, and a CRD may allow the API server to store it.
 */

/** The value of a JSON text, without nulls. Throws SyntaxError for text that is not JSON. */
export function parseWithoutNulls(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Most texts have no null, and a search for the word is a hundred times as fast as a visit to every value.
  return text.includes('null') ? stripNulls(value) : value;
}

/**
 * Returns a JSON value without the fields and list items that are `null`; `undefined` when the value itself is null. A
 * value without nulls keeps its identity. Later list items move up, so use this for objects that are read, not for the
 * difference of two. It loops instead of recursing, because the API server accepts JSON that is nested 10,000 deep.
 */
export function stripNulls(value: unknown): unknown {
  return value === null ? undefined : copyWithoutNulls(value, ANYTHING);
}

/**
 * Removes null fields but keeps list items: for objects that are written. The API server distinguishes a missing item
 * from a null one.
 */
export function stripNullFields<T extends object>(value: T): T {
  // Every field that it removes is as optional as it was nullable.
  return copyWithoutNulls(value, FIELDS) as T;
}

/** Returns whether to remove the nulls in an object or a list. */
type MayLoseNulls = (container: object) => boolean;

const ANYTHING: MayLoseNulls = () => true;
const FIELDS: MayLoseNulls = (container) => !Array.isArray(container);

function copyWithoutNulls(value: unknown, mayLoseNulls: MayLoseNulls): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copies = new Map<unknown, object>();
  const { containers, parents, holdsNull } = surveyOf(value, mayLoseNulls);
  // Iterates from the end, so that a child is copied before its container.
  for (let index = containers.length - 1; index >= 0; index--) {
    const container = containers[index];
    if (container === undefined || !holdsNull[index]) continue;
    copies.set(container, copyOf(container, copies, mayLoseNulls));
    holdsNull[parents[index] ?? 0] = true;
  }
  return copies.get(value) ?? value;
}

interface Survey {
  /** Every object and list, each after its container. */
  readonly containers: readonly object[];
  /** For each container, the index of its own container. */
  readonly parents: readonly number[];
  /** For each container, whether it directly holds a null to remove. */
  readonly holdsNull: boolean[];
}

function surveyOf(root: object, mayLoseNulls: MayLoseNulls): Survey {
  const containers = [root];
  const parents = [0];
  const holdsNull = [false];
  for (let index = 0; index < containers.length; index++) {
    for (const child of childrenOf(containers[index])) {
      if (child === null) holdsNull[index] ||= mayLoseNulls(containers[index] ?? root);
      else if (typeof child === 'object') {
        containers.push(child);
        parents.push(index);
        holdsNull.push(false);
      }
    }
  }
  return { containers, parents, holdsNull };
}

function childrenOf(container: object | undefined): readonly unknown[] {
  return Array.isArray(container) ? container : Object.values(container ?? {});
}

/** @param copies Copies of the children that hold a null. */
function copyOf(container: object, copies: ReadonlyMap<unknown, object>, mayLoseNulls: MayLoseNulls): object {
  const kept = (child: unknown) => copies.get(child) ?? child;
  if (Array.isArray(container)) {
    return (mayLoseNulls(container) ? container.filter((item) => item !== null) : container).map(kept);
  }
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(container)) {
    if (child === null) continue;
    // An assignment to this key would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...PROPERTY, value: kept(child) });
    else copy[key] = kept(child);
  }
  return copy;
}

const PROPERTY = { configurable: true, enumerable: true, writable: true } as const;
