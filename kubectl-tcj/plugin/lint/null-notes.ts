/** Finds null values that server-side apply refuses in some clusters (docs/adr/0036-null.md). */
import type { StructuralSchema } from 'controller-runtime';
import { fieldPath } from 'controller-runtime/kubernetes';
import { isRecord } from '../../../api/v1/raw-object.ts';

export interface NullNote {
  readonly field: string;
  readonly message: string;
}

const NULL_FIELD_NOTE =
  'null counts as absent, but server-side apply (Helm 4, Flux, Argo CD) accepts it only if the webhooks are enabled; remove the field';
const NULL_KEY_NOTE =
  'null is not a valid list key: server-side apply accepts it once and refuses it the next time; set a value';

/** Returns the optional fields that are null although the schema does not allow null. */
export function findNullNotes(schema: StructuralSchema, value: unknown): readonly NullNote[] {
  return [...checkValue(schema, value, { path: [], keys: [] })];
}

interface FieldPosition {
  readonly path: readonly (string | number)[];
  /** The `x-kubernetes-list-map-keys` of the enclosing list. */
  readonly keys: readonly string[];
}

function* checkValue(schema: StructuralSchema, value: unknown, position: FieldPosition): Generator<NullNote> {
  if (Array.isArray(value)) yield* checkItems(schema, value, position);
  else if (isRecord(value)) yield* checkFields(schema, value, position);
}

function* checkItems(list: StructuralSchema, items: readonly unknown[], { path }: FieldPosition): Generator<NullNote> {
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  if (list.items === undefined) return;
  for (const [index, item] of items.entries()) yield* checkValue(list.items, item, { path: [...path, index], keys });
}

function* checkFields(schema: StructuralSchema, object: object, { path, keys }: FieldPosition): Generator<NullNote> {
  const { properties = {}, additionalProperties } = schema;
  for (const [name, value] of Object.entries(object)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (field === undefined) continue;
    const valuePath = [...path, name];
    if (value !== null) yield* checkValue(field, value, { path: valuePath, keys: [] });
    else if (keys.includes(name)) yield { field: fieldPath(...valuePath), message: NULL_KEY_NOTE };
    else if (!field.nullable && field.default === undefined)
      yield { field: fieldPath(...valuePath), message: NULL_FIELD_NOTE };
  }
}
