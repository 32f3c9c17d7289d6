import { isRecord } from '../../../kubernetes/is-record.ts';
import type { StructuralSchema } from '../../../schema/structural-schema.ts';
import { OBJECT_META } from './object-meta.ts';

/** Called with the path of each field that the schema does not contain. */
export type UnknownFieldCallback = (path: string) => void;

/**
 * Removes unknown fields, removes null from fields that are not nullable, and sets defaults, like the API server when
 * it decodes a custom resource.
 */
export function decode(
  schema: StructuralSchema,
  value: unknown,
  onUnknownField: UnknownFieldCallback,
  path = '',
): unknown {
  const { items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.map((item, index) => decode(items, nullToDefault(items, item), onUnknownField, `${path}[${index}]`));
  }
  return isRecord(value) ? decodeFields(schema, value, onUnknownField, path) : value;
}

function decodeFields(
  schema: StructuralSchema,
  value: object,
  onUnknownField: UnknownFieldCallback,
  path: string,
): unknown {
  const fields = new Map<string, unknown>();
  for (const [name, rawField] of Object.entries(value)) {
    const fieldPath = formatFieldPath(path, name);
    const fieldSchema = getFieldSchema(schema, name);
    const field = fieldSchema && nullToDefault(fieldSchema, rawField);
    if (fieldSchema === undefined) onUnknownField(fieldPath);
    else if (field !== null || fieldSchema.nullable)
      fields.set(name, decode(fieldSchema, field, onUnknownField, fieldPath));
  }
  for (const [name, fieldSchema] of Object.entries(schema.properties ?? {})) {
    if (fieldSchema.default === undefined || fields.has(name)) continue;
    fields.set(name, decode(fieldSchema, structuredClone(fieldSchema.default), onUnknownField));
  }
  return Object.fromEntries(fields);
}

/** A schema that accepts any value. */
const ANY_VALUE_SCHEMA: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true, nullable: true };

/** Returns the schema of a field or of a value in a map, or `undefined` for an unknown field. */
export function getFieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  if (schema['x-kubernetes-embedded-resource'] && Object.hasOwn(EMBEDDED_OBJECT_FIELDS, name))
    return EMBEDDED_OBJECT_FIELDS[name];
  return additionalProperties ?? (schema['x-kubernetes-preserve-unknown-fields'] ? ANY_VALUE_SCHEMA : undefined);
}

/** Fields of every object, which the API server adds to the schema of an embedded object. */
const EMBEDDED_OBJECT_FIELDS: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: OBJECT_META,
};

export function formatFieldPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function nullToDefault({ nullable, default: defaultValue }: StructuralSchema, value: unknown): unknown {
  return value === null && !nullable && defaultValue !== undefined ? structuredClone(defaultValue) : value;
}
