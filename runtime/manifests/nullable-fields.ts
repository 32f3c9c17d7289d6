/**
 * Marks fields of a CRD as nullable, so that server-side apply treats null as absent, as it does for built-in kinds.
 */
import type { StructuralSchema } from '../schema/structural-schema.ts';

/**
 * Returns `schema` with `nullable` on optional fields of its objects. A field with a default does not need it: the API
 * server replaces null with the default. A field with an enum cannot have it: null is not in the list of values. A
 * field that server-side apply merges element by element must not have it: a nullable field has no type in the API
 * server's OpenAPI v2 document, and Argo CD would not see changes in it (docs/adr/0036-null.md).
 *
 * @param isAtomic Whether the schema is part of a value that server-side apply replaces as a whole.
 */
export function withNullableFields(schema: StructuralSchema, isAtomic = false): StructuralSchema {
  const { properties, items, additionalProperties, required = [] } = schema;
  const isPartOfAtomic = isAtomic || isAtomicValue(schema);
  const field = ([name, child]: readonly [string, StructuralSchema]) => {
    const changed = withNullableFields(child, isPartOfAtomic);
    const isOptional = !required.includes(name) && child.default === undefined && child.enum === undefined;
    return [
      name,
      isOptional && (isPartOfAtomic || isAtomicValue(child)) ? { ...changed, nullable: true } : changed,
    ] as const;
  };
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(field)) }),
    ...(items && { items: withNullableFields(items, isPartOfAtomic) }),
    ...(additionalProperties && { additionalProperties: withNullableFields(additionalProperties, isPartOfAtomic) }),
  };
}

/** Whether server-side apply replaces the value as a whole: the default for a list, but not for an object. */
function isAtomicValue(schema: StructuralSchema): boolean {
  const { type, 'x-kubernetes-list-type': listType = 'atomic', 'x-kubernetes-map-type': mapType = 'granular' } = schema;
  if (type === 'array') return listType === 'atomic';
  return type !== 'object' || mapType === 'atomic';
}
