/** Converts Kubernetes' own OpenAPI v3 to a structural schema without a `$ref`. */
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { APIMACHINERY_SCHEMAS, QUANTITY } from './apimachinery-schemas.ts';

/** The fields of an OpenAPI node that the conversion reads. */
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
 * Keys that are copied. Not `description`: with the documentation of every pod field the CRD is 337 KB, and client-side
 * `kubectl apply` keeps a copy in an annotation of at most 256 KiB. Not `enum`: a later Kubernetes adds values, and the
 * API server checks them when the Job is created.
 */
const COPIED_KEYS = [
  'type',
  'format',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof StructuralSchema)[];

/** Returns the schema called `name`, with all references resolved. */
export function structuralFromOpenApi(schemas: OpenApiSchemas, name: string): StructuralSchema {
  return convertDefinition(name, { schemas, ancestors: [] });
}

interface Context {
  readonly schemas: OpenApiSchemas;
  /** Names of the enclosing schemas: a recursive schema would not end. */
  readonly ancestors: readonly string[];
}

function convertDefinition(name: string, { schemas, ancestors }: Context): StructuralSchema {
  const builtIn = APIMACHINERY_SCHEMAS[name];
  if (builtIn !== undefined) return builtIn;
  if (ancestors.includes(name))
    throw new Error(`schema ${name} is recursive, and a CRD cannot have a recursive schema`);
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`OpenAPI document has no schema called ${name}`);
  return convertNode(schema, { schemas, ancestors: [...ancestors, name] });
}

function convertNode(node: OpenApiSchema, context: Context): StructuralSchema {
  const name = getReferencedName(node);
  if (name !== undefined) return convertDefinition(name, context);
  const { properties, additionalProperties, items } = node;
  return {
    ...Object.fromEntries(COPIED_KEYS.filter((key) => node[key] !== undefined).map((key) => [key, node[key]])),
    ...(properties && { properties: convertProperties(properties, node.required ?? [], context) }),
    ...(additionalProperties && { additionalProperties: convertElement(additionalProperties, context) }),
    ...(items && { items: convertElement(items, context) }),
  };
}

/**
 * Converts an element of a list or a map. Its default is the value that the API server uses for a null element: Go's
 * zero value. An object whose zero value lacks a required field has no default, because the API server rejects it
 * anyway.
 */
function convertElement(node: OpenApiSchema, context: Context): StructuralSchema {
  const schema = convertNode(node, context);
  const zero = schema === QUANTITY ? '0' : node.default;
  return zero === undefined || schema.required !== undefined ? schema : { ...schema, default: zero };
}

/** The API server writes a reference alone, or in `allOf` when it also has a default or a description. */
function getReferencedName(node: OpenApiSchema): string | undefined {
  const ref = node.$ref ?? node.allOf?.[0]?.$ref;
  return ref?.slice(REF_PREFIX.length);
}

/**
 * Only optional scalars keep their defaults. On required fields and objects, OpenAPI prints Go's zero value (`""`, `0`,
 * `{}`), which is not an intended default.
 */
function convertProperties(
  properties: Readonly<Record<string, OpenApiSchema>>,
  required: readonly string[],
  context: Context,
): Readonly<Record<string, StructuralSchema>> {
  const entries = Object.entries(properties).map(([key, node]) => {
    const isSet = node.default !== undefined && typeof node.default !== 'object' && !required.includes(key);
    return [key, { ...convertNode(node, context), ...(isSet && { default: node.default }) }] as const;
  });
  return Object.fromEntries(entries);
}
