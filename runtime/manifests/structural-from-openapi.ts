/** Converts schemas of the API server's OpenAPI v3 document to structural schemas, which cannot contain `$ref`. */
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { APIMACHINERY_SCHEMAS, QUANTITY_SCHEMA } from './apimachinery-schemas.ts';

/** The fields of an OpenAPI schema that the conversion reads. */
export type OpenApiSchema = Omit<StructuralSchema, 'properties' | 'additionalProperties' | 'items' | 'allOf'> & {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
};

/** `components.schemas` of an OpenAPI document. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

const REF_PREFIX = '#/components/schemas/';

/**
 * Fields of an OpenAPI schema that the conversion copies. The field `description` is omitted, because a CRD with the
 * descriptions of all Pod fields has 337 KB. Client-side `kubectl apply` stores a copy of the CRD in an annotation, and
 * the limit for annotations is 256 KiB. The field `enum` is omitted, because a later version of Kubernetes may add
 * values.
 */
const COPIED_KEYS = [
  'type',
  'format',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof StructuralSchema)[];

/** Returns the structural schema of the type `name`. Resolves all references. */
export function structuralFromOpenApi(schemas: OpenApiSchemas, name: string): StructuralSchema {
  return convertDefinition(name, { schemas, ancestors: [] });
}

interface ConversionContext {
  readonly schemas: OpenApiSchemas;
  /** Names of the enclosing schemas, to detect a recursive schema. */
  readonly ancestors: readonly string[];
}

function convertDefinition(name: string, { schemas, ancestors }: ConversionContext): StructuralSchema {
  const apimachinerySchema = APIMACHINERY_SCHEMAS[name];
  if (apimachinerySchema !== undefined) return apimachinerySchema;
  if (ancestors.includes(name))
    throw new Error(`schema ${name} is recursive, and a CRD cannot have a recursive schema`);
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`OpenAPI document has no schema called ${name}`);
  return convertSchemaNode(schema, { schemas, ancestors: [...ancestors, name] });
}

function convertSchemaNode(schemaNode: OpenApiSchema, context: ConversionContext): StructuralSchema {
  const name = getReferencedName(schemaNode);
  if (name !== undefined) return convertDefinition(name, context);
  const { properties, additionalProperties, items } = schemaNode;
  return {
    ...Object.fromEntries(
      COPIED_KEYS.filter((key) => schemaNode[key] !== undefined).map((key) => [key, schemaNode[key]]),
    ),
    ...(properties && { properties: convertProperties(properties, schemaNode.required ?? [], context) }),
    ...(additionalProperties && { additionalProperties: convertElement(additionalProperties, context) }),
    ...(items && { items: convertElement(items, context) }),
  };
}

/**
 * Converts the schema of the elements of a list or a map. The API server decodes a null element to Go's zero value, so
 * the zero value becomes the default of the element. A schema with required fields gets no default, because the zero
 * value lacks the required fields.
 */
function convertElement(schemaNode: OpenApiSchema, context: ConversionContext): StructuralSchema {
  const schema = convertSchemaNode(schemaNode, context);
  const zeroValue = schema === QUANTITY_SCHEMA ? '0' : schemaNode.default;
  return zeroValue === undefined || schema.required !== undefined ? schema : { ...schema, default: zeroValue };
}

/** OpenAPI wraps a reference with a default or a description in `allOf`. */
function getReferencedName(schemaNode: OpenApiSchema): string | undefined {
  const reference = schemaNode.$ref ?? schemaNode.allOf?.[0]?.$ref;
  return reference?.slice(REF_PREFIX.length);
}

/**
 * Copies the defaults of optional scalars only. For required fields and objects, OpenAPI contains Go's zero value
 * (`""`, `0`, `{}`), which is not the default of the API.
 */
function convertProperties(
  properties: Readonly<Record<string, OpenApiSchema>>,
  requiredNames: readonly string[],
  context: ConversionContext,
): Readonly<Record<string, StructuralSchema>> {
  const entries = Object.entries(properties).map(([key, schemaNode]) => {
    const hasDefault =
      schemaNode.default !== undefined && typeof schemaNode.default !== 'object' && !requiredNames.includes(key);
    return [
      key,
      { ...convertSchemaNode(schemaNode, context), ...(hasDefault && { default: schemaNode.default }) },
    ] as const;
  });
  return Object.fromEntries(entries);
}
