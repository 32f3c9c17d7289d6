/** Where the fields of an object stand in its YAML. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml';

export interface PlaceOptions {
  /** The name of the field, not its value. */
  readonly isKey?: boolean;
}

/**
 * Offset of the value of a field. Of a field that is missing that of the nearest one above it.
 * @param field As {@link fieldPath} of controller-runtime has it: `spec.containers[0].name`, `metadata.labels[example.com/a]`.
 */
export function placeOf(document: Document.Parsed, field: string, { isKey = false }: PlaceOptions = {}): number {
  let node: unknown = document.contents;
  let place: Place = { key: startOf(document.contents) ?? 0 };
  for (const step of stepsOf(field)) {
    const next = childOf(resolved(node, document), step, document);
    if (next === undefined) return place.key;
    ({ node } = next);
    place = next.place;
  }
  return isKey ? place.key : (place.value ?? place.key);
}

interface Place {
  readonly key: number;
  /** Absent for what begins on another line than its key. */
  readonly value?: number | undefined;
}

interface Child {
  readonly node: unknown;
  readonly place: Place;
}

/** `spec`, `containers`, `0`, `name`. */
function stepsOf(field: string): readonly string[] {
  return [...field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, inBrackets]) => name ?? inBrackets ?? '');
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function childOf(node: unknown, step: string, document: Document.Parsed): Child | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    const start = startOf(item);
    return start === undefined ? undefined : { node: item, place: { key: start } };
  }
  const pair = pairOf(node, step, document);
  if (pair === undefined) return undefined;
  const value = isAlias(pair.value) || (isScalar(pair.value) && !isEmpty(pair.value)) ? startOf(pair.value) : undefined;
  return { node: pair.value, place: { key: keyOffset(pair), value } };
}

/** Of `schedule:` without a value. */
function isEmpty({ range }: Scalar): boolean {
  return range?.[0] === range?.[1];
}

/** Of a map, with what is merged into it. The last one counts. */
function pairOf(node: unknown, key: string, document: Document.Parsed): Pair | undefined {
  if (!isMap(node)) return undefined;
  const own = node.items.findLast((pair) => nameOf(pair) === key);
  if (own !== undefined) return own;
  for (const pair of node.items) {
    const merged = nameOf(pair) === '<<' ? resolved(pair.value, document) : undefined;
    const maps: readonly unknown[] = isSeq(merged) ? merged.items : [merged];
    for (const map of maps) {
      const found = pairOf(resolved(map, document), key, document);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Of a field; `<<` of a merge. */
export function nameOf({ key }: Pair): string | undefined {
  if (!isScalar(key)) return undefined;
  // That of a merge is a symbol.
  return typeof key.value === 'symbol' ? key.value.description : String(key.value);
}

/** Where the name of a field begins. */
export function keyOffset(pair: unknown): number {
  return (isPair(pair) ? startOf(pair.key) : undefined) ?? 0;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
