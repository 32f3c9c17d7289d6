import { listParts, nullToAbsent, type SchemaTree } from './schema-tree.ts';
import { unwrapLayers } from './wrapped-schema.ts';

/**
 * Returns `value` with defaults for absent and null fields. Removes null fields without a default. Returns `value`
 * itself if it is complete. Invalid values are unchanged, because validation reports them.
 */
export function withDefaults(tree: SchemaTree, value: unknown): unknown {
  const present = nullToAbsent(tree, value);
  const current = present === undefined ? getDefault(tree) : present;
  const parts = listParts(tree, current);
  if (parts === undefined) return current;
  const changes: (readonly [key: string | number, value: unknown])[] = [];
  for (const part of parts) {
    const completed = withDefaults(part.tree, part.value);
    if (completed !== part.value) changes.push([part.key, completed]);
  }
  return changes.length === 0 ? current : applyChanges(current, changes);
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
    for (const [key, part] of changes) copy[Number(key)] = part;
    return copy;
  }
  const fields = new Map<string | number, unknown>(Object.entries(value ?? {}));
  for (const [key, part] of changes) {
    if (part === undefined) fields.delete(key);
    else fields.set(key, part);
  }
  return Object.fromEntries(fields);
}
