import { listChildren, nullToUndefined, type SchemaTree } from './schema-tree.ts';
import { unwrapLayers } from './wrapped-schema.ts';

/**
 * Returns `value` with defaults for absent and null fields. Removes null fields without a default. Returns `value`
 * itself if no field is missing. Invalid values are unchanged, because validation reports them.
 */
export function withDefaults(tree: SchemaTree, value: unknown): unknown {
  return replaceAbsent(tree, value, getDefault);
}

/** Returns `value` without null fields, except where the schema accepts null. Adds no defaults. */
export function withoutNulls(tree: SchemaTree, value: unknown): unknown {
  return replaceAbsent(tree, value, () => undefined);
}

function replaceAbsent(tree: SchemaTree, value: unknown, getReplacement: (tree: SchemaTree) => unknown): unknown {
  const definedValue = nullToUndefined(tree, value);
  const newValue = definedValue === undefined ? getReplacement(tree) : definedValue;
  const children = listChildren(tree, newValue);
  if (children === undefined) return newValue;
  const changes: (readonly [key: string | number, value: unknown])[] = [];
  for (const child of children) {
    const newChild = replaceAbsent(child.tree, child.value, getReplacement);
    if (newChild !== child.value) changes.push([child.key, newChild]);
  }
  return changes.length === 0 ? newValue : applyChanges(newValue, changes);
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
