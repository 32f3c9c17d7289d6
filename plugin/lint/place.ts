/** Where the fields of an object stand in its YAML. */
import {
  type Alias,
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
  visit,
} from 'yaml';

export interface PlaceOptions {
  /** The name of the field, not its value. */
  readonly isKey?: boolean;
}

/** The places in a document. */
export class Places {
  readonly #document: Document.Parsed;
  #targets: ReadonlyMap<unknown, unknown> | undefined;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  /**
   * Offset of the value of a field. Of a field that is missing that of the nearest one above it.
   * @param field As {@link fieldPath} of controller-runtime has it: `spec.containers[0].name`, `metadata.labels[example.com/a]`.
   */
  of(field: string, { isKey = false }: PlaceOptions = {}): number {
    const { contents } = this.#document;
    const resolved = (node: unknown) => (isAlias(node) ? this.#targetOf(node) : node);
    let node: unknown = contents;
    let place: Place = { key: startOf(contents) ?? 0 };
    for (const step of stepsOf(field)) {
      const next = childOf(node, step, resolved);
      if (next === undefined) return place.key;
      ({ node, place } = next);
    }
    return isKey ? place.key : (place.value ?? place.key);
  }

  /** What an alias stands for. All of them are found at once: the parser's own `resolve` goes through the document for each. */
  #targetOf(alias: Alias): unknown {
    this.#targets ??= targetsIn(this.#document);
    return this.#targets.get(alias);
  }
}

function targetsIn(document: Document.Parsed): ReadonlyMap<unknown, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<unknown, unknown>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

type Resolve = (node: unknown) => unknown;

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

function childOf(parent: unknown, step: string, resolved: Resolve): Child | undefined {
  const node = resolved(parent);
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    const start = startOf(item);
    return start === undefined ? undefined : { node: item, place: { key: start } };
  }
  const pair = pairOf(node, step, resolved);
  if (pair === undefined) return undefined;
  const value = isAlias(pair.value) || (isScalar(pair.value) && !isEmpty(pair.value)) ? startOf(pair.value) : undefined;
  return { node: pair.value, place: { key: keyOffset(pair), value } };
}

/** Of `schedule:` without a value. */
function isEmpty({ range }: Scalar): boolean {
  return range?.[0] === range?.[1];
}

/** Of a map, with what is merged into it. The last one counts. */
function pairOf(node: unknown, key: string, resolved: Resolve): Pair | undefined {
  if (!isMap(node)) return undefined;
  const own = node.items.findLast((pair) => nameOf(pair) === key);
  if (own !== undefined) return own;
  for (const pair of node.items) {
    const merged = nameOf(pair) === '<<' ? resolved(pair.value) : undefined;
    const maps: readonly unknown[] = isSeq(merged) ? merged.items : [merged];
    for (const map of maps) {
      const found = pairOf(resolved(map), key, resolved);
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
