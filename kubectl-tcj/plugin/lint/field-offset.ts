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
export function findFieldOffset(root: YamlNode, field: string, { isKey = false } = {}): number {
  let place: NodePosition = { node: root, key: root.start };
  for (const step of splitField(field)) {
    const next = findChild(place.node, step);
    if (next === undefined) return place.key;
    place = next;
  }
  return isKey ? place.key : (place.value ?? place.key);
}

interface NodePosition {
  readonly node: YamlNode;
  readonly key: number;
  /** Absent for a value on its own lines. */
  readonly value?: number | undefined;
}

/** `spec`, `containers`, `0`, `name`. */
function splitField(field: string): readonly string[] {
  return [...field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, inBrackets]) => name ?? inBrackets ?? '');
}

function findChild(parent: YamlNode, step: string): NodePosition | undefined {
  const node = resolveAlias(parent);
  if (node.kind === 'sequence') {
    const item = node.items[Number(step)];
    return item && { node: item, key: item.start };
  }
  const entry = node.kind === 'mapping' ? findEntry(node, step) : undefined;
  return entry && { node: entry.value, key: entry.key.start, value: getValueStart(entry.value) };
}

function resolveAlias(node: YamlNode): YamlNode {
  return node.kind === 'alias' ? node.target : node;
}

function getValueStart(value: YamlNode): number | undefined {
  const isOnLine = value.kind === 'alias' || (value.kind === 'scalar' && value.end > value.start);
  return isOnLine ? value.start : undefined;
}

/** The entry of a mapping, including merged entries: the last one counts. */
function findEntry({ entries }: YamlMapping, name: string): YamlEntry | undefined {
  for (const entry of entries.toReversed()) {
    if (isMergeKey(entry.key)) {
      const merged = findMergedEntry(entry.value, name);
      if (merged !== undefined) return merged;
    } else if (getKeyName(entry.key) === name) return entry;
  }
  return undefined;
}

function findMergedEntry(value: YamlNode, name: string): YamlEntry | undefined {
  for (const merged of getMergedMappings(value)) {
    const node = resolveAlias(merged);
    const found = node.kind === 'mapping' ? findEntry(node, name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
