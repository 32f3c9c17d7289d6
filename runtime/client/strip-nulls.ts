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
  return value === null ? undefined : copyStripped(value, STRIP_ALL);
}

/**
 * Removes null fields but keeps list items: for objects that are written. The API server distinguishes a missing item
 * from a null one.
 */
export function stripNullFields<T extends object>(value: T): T {
  // Every field that it removes is as optional as it was nullable.
  return copyStripped(value, STRIP_FIELDS) as T;
}

/** Returns whether to remove the nulls in an object or a list. */
type ContainerFilter = (container: object) => boolean;

const STRIP_ALL: ContainerFilter = () => true;
const STRIP_FIELDS: ContainerFilter = (container) => !Array.isArray(container);

function copyStripped(value: unknown, shouldStrip: ContainerFilter): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copies = new Map<unknown, object>();
  const { containers, parents, hasNull } = collectContainers(value, shouldStrip);
  // Iterates from the end, so that a child is copied before its container.
  for (let index = containers.length - 1; index >= 0; index--) {
    const container = containers[index];
    if (container === undefined || !hasNull[index]) continue;
    copies.set(container, copyContainer(container, copies, shouldStrip));
    hasNull[parents[index] ?? 0] = true;
  }
  return copies.get(value) ?? value;
}

interface ContainerList {
  /** Every object and list, each after its container. */
  readonly containers: readonly object[];
  /** For each container, the index of its own container. */
  readonly parents: readonly number[];
  /** For each container, whether it directly holds a null to remove. */
  readonly hasNull: boolean[];
}

function collectContainers(root: object, shouldStrip: ContainerFilter): ContainerList {
  const containers = [root];
  const parents = [0];
  const hasNull = [false];
  for (let index = 0; index < containers.length; index++) {
    for (const child of listChildren(containers[index])) {
      if (child === null) hasNull[index] ||= shouldStrip(containers[index] ?? root);
      else if (typeof child === 'object') {
        containers.push(child);
        parents.push(index);
        hasNull.push(false);
      }
    }
  }
  return { containers, parents, hasNull };
}

function listChildren(container: object | undefined): readonly unknown[] {
  return Array.isArray(container) ? container : Object.values(container ?? {});
}

/** @param copies Copies of the children that hold a null. */
function copyContainer(container: object, copies: ReadonlyMap<unknown, object>, shouldStrip: ContainerFilter): object {
  const replaceChild = (child: unknown) => copies.get(child) ?? child;
  if (Array.isArray(container)) {
    return (shouldStrip(container) ? container.filter((item) => item !== null) : container).map(replaceChild);
  }
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(container)) {
    if (child === null) continue;
    // An assignment to this key would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...DATA_PROPERTY, value: replaceChild(child) });
    else copy[key] = replaceChild(child);
  }
  return copy;
}

const DATA_PROPERTY = { configurable: true, enumerable: true, writable: true } as const;
