import { isRecord } from '../../../kubernetes/is-record.ts';
import { isSameJson } from '../../../schema/same-json.ts';
import { getProperty } from '../../../schema/schema-tree.ts';
import type { StructuralSchema } from '../../../schema/structural-schema.ts';
import { formatFieldPath, getFieldSchema } from './decode.ts';

/** A value in an object, with its schema. */
export interface SchemaValue {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  /** The value before an update, absent for a new value. */
  readonly old?: unknown;
  /** Path of the value in the object, empty for the object itself. */
  readonly path: string;
}

/**
 * Calls `visit` for a value and its fields, elements and map values. Skips values that an update does not change,
 * because the API server ignores faults in unchanged values.
 */
export function walkValues({ schema, value, old, path }: SchemaValue, visit: (each: SchemaValue) => void): void {
  if (old !== undefined && isSameJson(value, old)) return;
  visit({ schema, value, old, path });
  for (const child of listChildren({ schema, value, old, path })) walkValues(child, visit);
}

/** Returns the known fields of an object, the values of a map, or the elements of a list. */
function listChildren({ schema, value, old, path }: SchemaValue): readonly SchemaValue[] {
  const { items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.map((item, index) => {
      return { schema: items, value: item, old: findOldItem(schema, old, item), path: `${path}[${index}]` };
    });
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const fieldSchema = getFieldSchema(schema, name);
    if (fieldSchema === undefined) return [];
    return [{ schema: fieldSchema, value: field, old: getProperty(old, name), path: formatFieldPath(path, name) }];
  });
}

/** Returns the old list element with the same keys as `item`. Only lists of the type `map` have keys. */
function findOldItem(schema: StructuralSchema, oldList: unknown, item: unknown): unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(oldList)) return undefined;
  const key = formatListMapKey(schema, item);
  return oldList.find((each) => formatListMapKey(schema, each) === key);
}

/** Returns the values of the list map keys as one string. */
export function formatListMapKey(schema: StructuralSchema, item: unknown): string {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return JSON.stringify(keys.map((key) => (isRecord(item) ? item[key] : undefined)));
}
