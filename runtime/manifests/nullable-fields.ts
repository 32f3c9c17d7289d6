/**
 * Marks fields of a CRD as nullable. In a nullable field, server-side apply treats null like an absent field, as in
 * built-in kinds.
 */
import type { StructuralSchema } from '../schema/structural-schema.ts';

/**
 * Returns `schema` with `nullable: true` on optional fields (docs/adr/0036-null.md). A field with a default is
 * excluded, because the API server replaces null with the default. A field with an enum is excluded, because the enum
 * does not contain null. A field that server-side apply merges by element is excluded, because the OpenAPI v2 document
 * omits the type of a nullable field. Without the type, Argo CD would miss changes of the elements.
 *
 * @param isAtomic Whether the schema is part of a value that server-side apply replaces as a whole.
 */
export function withNullableFields(schema: StructuralSchema, isAtomic = false): StructuralSchema {
  const { properties, items, additionalProperties, required = [] } = schema;
  const isPartOfAtomic = isAtomic || isAtomicValue(schema);
  const convertField = ([name, child]: readonly [string, StructuralSchema]) => {
    const convertedChild = withNullableFields(child, isPartOfAtomic);
    const isOptional = !required.includes(name) && child.default === undefined && child.enum === undefined;
    return [
      name,
      isOptional && (isPartOfAtomic || isAtomicValue(child)) ? { ...convertedChild, nullable: true } : convertedChild,
    ] as const;
  };
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(convertField)) }),
    ...(items && { items: withNullableFields(items, isPartOfAtomic) }),
    ...(additionalProperties && { additionalProperties: withNullableFields(additionalProperties, isPartOfAtomic) }),
  };
}

/**
 * Returns whether server-side apply replaces the value as a whole. By default, a list is replaced and an object is
 * merged.
 */
function isAtomicValue(schema: StructuralSchema): boolean {
  const { type, 'x-kubernetes-list-type': listType = 'atomic', 'x-kubernetes-map-type': mapType = 'granular' } = schema;
  if (type === 'array') return listType === 'atomic';
  return type !== 'object' || mapType === 'atomic';
}
