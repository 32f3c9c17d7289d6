import { listChildren, nullToAbsent, type SchemaTree } from './schema-tree.ts';
import { unwrapLayers } from './wrapped-schema.ts';

/**
 * Returns `value` with defaults for absent and null fields. Removes null fields without a default. Returns `value`
 * itself if no field is missing. Invalid values are unchanged, because validation reports them.
 */
export function withDefaults(tree: SchemaTree, value: unknown): unknown {
  const definedValue = nullToAbsent(tree, value);
  const valueWithDefault = definedValue === undefined ? getDefault(tree) : definedValue;
  const children = listChildren(tree, valueWithDefault);
  if (children === undefined) return valueWithDefault;
  const changes: (readonly [key: string | number, value: unknown])[] = [];
  for (const child of children) {
    const childWithDefaults = withDefaults(child.tree, child.value);
    if (childWithDefaults !== child.value) changes.push([child.key, childWithDefaults]);
  }
  return changes.length === 0 ? valueWithDefault : applyChanges(valueWithDefault, changes);
}

function getDefault({ schema }: SchemaTree): unknown {
  for (const { _zod } of unwrapLayers(schema)) {
    if (_zod.def.type === 'default' || _zod.def.type === 'prefault') return _zod.def.defaultValue;
  }
  return undefined;
}

function applyChanges(value: unknown, changes: readonly (readonly [key: string | number, value: unknown])[]): unknown {
  if (Array.isArray(value)) {
    const copy = [...value];
    for (const [key, child] of changes) copy[Number(key)] = child;
    return copy;
  }
  const fields = new Map<string | number, unknown>(Object.entries(value ?? {}));
  for (const [key, child] of changes) {
    if (child === undefined) fields.delete(key);
    else fields.set(key, child);
  }
  return Object.fromEntries(fields);
}
