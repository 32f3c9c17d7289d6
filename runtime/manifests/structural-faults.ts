/**
 * Finds faults in a schema that make an API server reject the CRD.
 *
 * The API server reports such faults only in the condition NonStructuralSchema of the CRD, so `kubectl apply` succeeds.
 */
import { STRUCTURAL_KEYS, type StructuralSchema } from '../schema/structural-schema.ts';

/** Returns a message for each fault, with the path of the field. Returns an empty list if the schema is structural. */
export function structuralFaults(schema: StructuralSchema, path = ''): readonly string[] {
  const location = path === '' ? 'the root' : path;
  return [
    ...Object.keys(schema)
      .filter((key) => !STRUCTURAL_KEYS.has(key))
      .map((key) => `${location}: ${key} is not allowed in a CRD`),
    ...findTypeFaults(schema, location),
    ...findListFaults(schema, location),
    ...findPatternFaults(schema, location),
    ...listChildren(schema, path).flatMap(([child, childPath]) => structuralFaults(child, childPath)),
  ];
}

function findTypeFaults(schema: StructuralSchema, location: string): readonly string[] {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const preservesUnknownFields = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.type === undefined && !isIntOrString && !preservesUnknownFields)
    return [`${location}: type is missing${explainMissingType(schema)}`];
  if (schema.type !== undefined && isIntOrString)
    return [`${location}: type cannot be combined with x-kubernetes-int-or-string`];
  if (schema.type === 'array' && schema.items === undefined) return [`${location}: items is missing`];
  if (schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties !== undefined) {
    return [`${location}: additionalProperties cannot be combined with properties`];
  }
  return [];
}

/** Explains why a schema has no type: zod converts unions and transforms to schemas without a type. */
function explainMissingType(schema: StructuralSchema): string {
  const isUnion = 'anyOf' in schema || 'oneOf' in schema;
  return isUnion
    ? ': a CRD has no such union; use z.discriminatedUnion(), optional fields, an enum, or intOrString()'
    : '';
}

/** Finds list map keys (`x-kubernetes-list-map-keys`) that are not required and have no default. */
function findListFaults(schema: StructuralSchema, location: string): readonly string[] {
  const { properties = {}, required = [] } = schema.items ?? {};
  return (schema['x-kubernetes-list-map-keys'] ?? [])
    .filter((key) => !required.includes(key) && properties[key]?.default === undefined)
    .map((key) => `${location}[].${key}: a list map key must be required or have a default`);
}

/** Finds patterns with lookarounds or backreferences, which Go's regular expressions do not support. */
function findPatternFaults({ pattern, allOf = [] }: StructuralSchema, location: string): readonly string[] {
  return [pattern, ...allOf.map((each) => each.pattern)]
    .filter((each) => each !== undefined && /\(\?<?[=!]|\\[1-9]/.test(each))
    .map(
      (each) =>
        `${location}: pattern ${each} uses syntax that Go's regular expressions lack: (?=, (?!, (?<=, (?<! or \\1`,
    );
}

function listChildren(schema: StructuralSchema, path: string): readonly (readonly [StructuralSchema, string])[] {
  const childrenWithPaths: (readonly [StructuralSchema, string])[] = Object.entries(schema.properties ?? {}).map(
    ([name, child]) => [child, path === '' ? name : `${path}.${name}`] as const,
  );
  if (schema.items !== undefined) childrenWithPaths.push([schema.items, `${path}[]`]);
  if (schema.additionalProperties !== undefined) childrenWithPaths.push([schema.additionalProperties, `${path}.*`]);
  return childrenWithPaths;
}
