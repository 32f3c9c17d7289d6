/** Finds the position and the text of a field in its manifest. */
import {
  getKeyName,
  getMergedMappings,
  isMergeKey,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
} from 'controller-runtime/yaml';

/**
 * Returns the offset of a field's value. For a missing field, returns the offset of its nearest ancestor.
 * @param root The root of a valid document, which has no cycles.
 * @param field A path in the format of {@link fieldPath} in controller-runtime, such as `spec.containers[0].name` or
 * `metadata.labels[example.com/a]`.
 * @param options If `isKey` is true, the result is the offset of the field's name.
 */
export function findFieldOffset(root: YamlNode, field: string, { isKey = false } = {}): number {
  const { position, isMissing } = findField(root, field);
  return isKey || isMissing ? position.keyOffset : (position.valueOffset ?? position.keyOffset);
}

/** Returns the text of a scalar field, or `undefined` if the field is missing or not a scalar. */
export function findFieldText(root: YamlNode, field: string): string | undefined {
  const { position, isMissing } = findField(root, field);
  const node = resolveAlias(position.node);
  return !isMissing && node.kind === 'scalar' ? node.text : undefined;
}

/** Returns the position of the field, or of its nearest ancestor if the field is missing. */
function findField(root: YamlNode, field: string): { readonly position: NodePosition; readonly isMissing: boolean } {
  let position: NodePosition = { node: root, keyOffset: root.start };
  for (const segment of splitField(field)) {
    const child = findChild(position.node, segment);
    if (child === undefined) return { position, isMissing: true };
    position = child;
  }
  return { position, isMissing: false };
}

interface NodePosition {
  readonly node: YamlNode;
  readonly keyOffset: number;
  /** The offset of the value, if the value and the key are on the same line. */
  readonly valueOffset?: number | undefined;
}

/** Splits a field path into segments such as `spec`, `containers`, `0` and `name`. */
function splitField(field: string): readonly string[] {
  return [...field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, inBrackets]) => name ?? inBrackets ?? '');
}

function findChild(parent: YamlNode, segment: string): NodePosition | undefined {
  const node = resolveAlias(parent);
  if (node.kind === 'sequence') {
    const item = node.items[Number(segment)];
    return item && { node: item, keyOffset: item.start };
  }
  const entry = node.kind === 'mapping' ? findEntry(node, segment) : undefined;
  return entry && { node: entry.value, keyOffset: entry.key.start, valueOffset: getValueStart(entry.value) };
}

function resolveAlias(node: YamlNode): YamlNode {
  return node.kind === 'alias' ? node.target : node;
}

function getValueStart(value: YamlNode): number | undefined {
  const isInline = value.kind === 'alias' || (value.kind === 'scalar' && value.end > value.start);
  return isInline ? value.start : undefined;
}

/** Returns the last entry with the given name in the mapping. Also searches the mappings that YAML merge keys (`<<`) include. */
function findEntry({ entries }: YamlMapping, name: string): YamlEntry | undefined {
  for (const entry of entries.toReversed()) {
    if (isMergeKey(entry.key)) {
      const mergedEntry = findMergedEntry(entry.value, name);
      if (mergedEntry !== undefined) return mergedEntry;
    } else if (getKeyName(entry.key) === name) return entry;
  }
  return undefined;
}

function findMergedEntry(value: YamlNode, name: string): YamlEntry | undefined {
  for (const mapping of getMergedMappings(value)) {
    const node = resolveAlias(mapping);
    const entry = node.kind === 'mapping' ? findEntry(node, name) : undefined;
    if (entry !== undefined) return entry;
  }
  return undefined;
}
