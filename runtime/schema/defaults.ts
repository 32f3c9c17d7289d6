/** The defaults of a schema, filled in as the API server does it. */
import { partsOf, presentValue, type SchemaTree } from './schema-tree.ts';
import { layersOf } from './wrapped-schema.ts';

/**
 * `value` with the defaults of its schema where it has nothing or null; a null without a default is left out. What has a value keeps
 * it, a wrong one too: that is for validation. Where nothing is missing, the value itself is returned, and every part of it.
 */
export function withDefaults(tree: SchemaTree, value: unknown): unknown {
  const present = presentValue(tree, value);
  const given = present === undefined ? defaultOf(tree) : present;
  const parts = partsOf(tree, given);
  if (parts === undefined) return given;
  const changes: (readonly [key: string | number, value: unknown])[] = [];
  for (const part of parts) {
    const completed = withDefaults(part.tree, part.value);
    if (completed !== part.value) changes.push([part.key, completed]);
  }
  return changes.length === 0 ? given : changed(given, changes);
}

function defaultOf({ schema }: SchemaTree): unknown {
  for (const { _zod } of layersOf(schema)) {
    if (_zod.def.type === 'default' || _zod.def.type === 'prefault') return _zod.def.defaultValue;
  }
  return undefined;
}

function changed(value: unknown, changes: readonly (readonly [key: string | number, value: unknown])[]): unknown {
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
