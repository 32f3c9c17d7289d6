/** Finds the fields of an object in its manifest. */
import {
  getKeyName,
  getMergedMappings,
  isMergeKey,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
} from 'controller-runtime/yaml';

/**
 * Offset of the value of a field. For a missing field, offset of its nearest ancestor.
 * @param root Root of a valid document: it has no cycles.
 * @param field In the format of {@link fieldPath} in controller-runtime: `spec.containers[0].name`,
 * `metadata.labels[example.com/a]`.
 * @param options With `isKey`, the offset of the field's name instead of its value.
 */
export function offsetOf(root: YamlNode, field: string, { isKey = false } = {}): number {
  let place: Place = { node: root, key: root.start };
  for (const step of stepsOf(field)) {
    const next = childOf(place.node, step);
    if (next === undefined) return place.key;
    place = next;
  }
  return isKey ? place.key : (place.value ?? place.key);
}

interface Place {
  readonly node: YamlNode;
  readonly key: number;
  /** Absent for a value on its own lines. */
  readonly value?: number | undefined;
}

/** `spec`, `containers`, `0`, `name`. */
function stepsOf(field: string): readonly string[] {
  return [...field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, inBrackets]) => name ?? inBrackets ?? '');
}

function childOf(parent: YamlNode, step: string): Place | undefined {
  const node = resolved(parent);
  if (node.kind === 'sequence') {
    const item = node.items[Number(step)];
    return item && { node: item, key: item.start };
  }
  const entry = node.kind === 'mapping' ? entryOf(node, step) : undefined;
  return entry && { node: entry.value, key: entry.key.start, value: valueStart(entry.value) };
}

function resolved(node: YamlNode): YamlNode {
  return node.kind === 'alias' ? node.target : node;
}

function valueStart(value: YamlNode): number | undefined {
  const isOnLine = value.kind === 'alias' || (value.kind === 'scalar' && value.end > value.start);
  return isOnLine ? value.start : undefined;
}

/** The entry of a mapping, including merged entries: the last one counts. */
function entryOf({ entries }: YamlMapping, name: string): YamlEntry | undefined {
  for (const entry of entries.toReversed()) {
    if (isMergeKey(entry.key)) {
      const merged = mergedEntryOf(entry.value, name);
      if (merged !== undefined) return merged;
    } else if (getKeyName(entry.key) === name) return entry;
  }
  return undefined;
}

function mergedEntryOf(value: YamlNode, name: string): YamlEntry | undefined {
  for (const merged of getMergedMappings(value)) {
    const node = resolved(merged);
    const found = node.kind === 'mapping' ? entryOf(node, name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
