import { z } from 'zod';
import { VALIDATIONS_META_KEY } from '../schema/api-rules.ts';
import { KUBERNETES_SCHEMA_META_KEY } from '../schema/field-types.ts';
import { isSameJson } from '../schema/same-json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { getVariants, listVariantRules } from '../schema/variants.ts';
import { rejectUnrepresentableSchema } from './reject-unrepresentable-schema.ts';

/** Structural schemas of Kubernetes types, by their OpenAPI names. */
export type KubernetesSchemas = Readonly<Record<string, StructuralSchema>>;

/** Key whose value is the name of a union's discriminator. */
const DISCRIMINATOR_KEY = 'x-discriminator';

/**
 * The JSON Schema that zod generates: a {@link StructuralSchema} with additional keys, which the conversion removes.
 */
type ZodJsonSchema = Omit<StructuralSchema, 'properties' | 'additionalProperties' | 'items'> & {
  /** Variants of a union. */
  readonly oneOf?: readonly ZodJsonSchema[];
  readonly [DISCRIMINATOR_KEY]?: string;
  readonly properties?: Readonly<Record<string, ZodJsonSchema>>;
  /** The value is `false` for a strict object, `{}` for a loose object, and the schema of the values for a map. */
  readonly additionalProperties?: ZodJsonSchema | false;
  readonly items?: ZodJsonSchema;
  readonly [KUBERNETES_SCHEMA_META_KEY]?: string;
};

/**
 * Converts a zod schema to the structural schema of manifests, in which fields with a default are optional.
 *
 * The metadata {@link KUBERNETES_SCHEMA_META_KEY} of a zod schema is the name of a schema in `kubernetesSchemas`. The
 * result contains the named schema, with the description and the rules of the zod schema.
 */
export function structuralFromZod(schema: z.ZodType, kubernetesSchemas: KubernetesSchemas = {}): StructuralSchema {
  const jsonSchema = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      rejectUnrepresentableSchema(zodSchema, path);
      const variants = getVariants(zodSchema);
      if (variants === undefined) return;
      const rules = [jsonSchema[VALIDATIONS_META_KEY] ?? [], listVariantRules(variants)].flat();
      // If server-side apply tracked an owner for each field, an object could contain fields of two variants after an
      // apply.
      Object.assign(jsonSchema, { 'x-kubernetes-map-type': 'atomic', ...jsonSchema });
      Object.assign(jsonSchema, { [DISCRIMINATOR_KEY]: variants.discriminator });
      if (rules.length > 0) jsonSchema[VALIDATIONS_META_KEY] = rules;
    },
  });
  // The type of zod's result includes all of JSON Schema. structuralFaults() checks the actual keys.
  return convertSchema(jsonSchema as ZodJsonSchema, kubernetesSchemas);
}

function convertSchema(rawSchemaNode: ZodJsonSchema, schemas: KubernetesSchemas): StructuralSchema {
  const schemaNode =
    rawSchemaNode[DISCRIMINATOR_KEY] === undefined
      ? rawSchemaNode
      : mergeVariants(rawSchemaNode, rawSchemaNode[DISCRIMINATOR_KEY]);
  const { [KUBERNETES_SCHEMA_META_KEY]: name, properties, additionalProperties, items, ...rest } = schemaNode;
  if (name !== undefined)
    return { ...mergeKubernetesKeys(getKubernetesSchema(name, schemas), schemaNode), ...pickDescription(schemaNode) };
  if (isUnconstrained(schemaNode)) return { ...rest, 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...addDefaultToDescription(withoutZodIntegerBounds(toKubernetesForm(rest))),
    ...(properties &&
      hasFixedProperties(properties, additionalProperties) && { properties: convertProperties(properties, schemas) }),
    ...(additionalProperties && convertAdditionalProperties(additionalProperties, schemas)),
    ...(items && { items: convertSchema(items, schemas) }),
  };
}

/** Converts a union to an object with the fields of all variants. */
function mergeVariants(
  { oneOf = [], [DISCRIMINATOR_KEY]: _, ...rest }: ZodJsonSchema,
  discriminator: string,
): ZodJsonSchema {
  const properties = new Map<string, ZodJsonSchema>();
  for (const [name, field] of oneOf.flatMap((variant) => Object.entries(variant.properties ?? {}))) {
    const other = properties.get(name);
    if (name === discriminator) {
      properties.set(name, { ...field, ...other, enum: [...(other?.enum ?? []), ...(field.enum ?? [])] });
      continue;
    }
    const isInAll = oneOf.every((variant) => variant.properties?.[name] !== undefined);
    const fault = findVariantFault(field, other, isInAll);
    if (fault !== undefined) throw new TypeError(`union by ${discriminator}: ${name} ${fault}`);
    properties.set(name, field);
  }
  const required = oneOf[0]?.required?.filter((name) => oneOf.every((variant) => variant.required?.includes(name)));
  return { ...rest, type: 'object', properties: Object.fromEntries(properties), required: required ?? [] };
}

function findVariantFault(
  field: ZodJsonSchema,
  earlierField: ZodJsonSchema | undefined,
  isInAllVariants: boolean,
): string | undefined {
  if (earlierField !== undefined && !isSameJson(earlierField, field))
    return 'has several schemas; use one schema or several names';
  const hasWrongDefault = field.default !== undefined && !isInAllVariants;
  return hasWrongDefault ? 'has a default, which the API server would set in all variants' : undefined;
}

function convertProperties(properties: Readonly<Record<string, ZodJsonSchema>>, schemas: KubernetesSchemas) {
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, convertSchema(child, schemas)]));
}

/** Returns false for an object with a catchall and without fields, which a CRD represents as a map. */
function hasFixedProperties(properties: object, additionalProperties: ZodJsonSchema | false | undefined): boolean {
  const isMap = additionalProperties !== undefined && additionalProperties !== false;
  return !isMap || Object.keys(properties).length > 0;
}

/** Converts a catchall. By default, the API server prunes unknown fields. */
function convertAdditionalProperties(valueSchema: ZodJsonSchema, schemas: KubernetesSchemas): StructuralSchema {
  if (isUnconstrained(valueSchema)) return { 'x-kubernetes-preserve-unknown-fields': true };
  return { additionalProperties: convertSchema(valueSchema, schemas) };
}

/** Returns whether the schema accepts every value, like `z.unknown()`. */
function isUnconstrained(schemaNode: ZodJsonSchema): boolean {
  return Object.keys(schemaNode).every((key) => ['description', 'nullable', 'default'].includes(key));
}

function getKubernetesSchema(name: string, schemas: KubernetesSchemas): StructuralSchema {
  const schema = schemas[name];
  if (schema === undefined)
    throw new Error(`there is no Kubernetes schema ${name}; fetch it with fetch-schemas, and set kubernetesSchemas`);
  return schema;
}

function pickDescription({ description }: ZodJsonSchema): StructuralSchema {
  return description === undefined ? {} : { description };
}

/** Adds the `x-kubernetes-` keys of `annotatedSchema` and its fields to `schema`. Throws if a field is missing. */
function mergeKubernetesKeys(schema: StructuralSchema, annotatedSchema: ZodJsonSchema): StructuralSchema {
  const keys = Object.fromEntries(Object.entries(annotatedSchema).filter(([key]) => key.startsWith('x-kubernetes-')));
  const { properties } = schema;
  if (properties === undefined || annotatedSchema.properties === undefined) return { ...schema, ...keys };
  const mergedFields = Object.entries(annotatedSchema.properties).map(([name, child]) => {
    const field = properties[name];
    if (field === undefined) throw new Error(`there is a rule on ${name}, but the Kubernetes schema has no such field`);
    return [name, mergeKubernetesKeys(field, child)] as const;
  });
  return { ...schema, ...keys, properties: { ...properties, ...Object.fromEntries(mergedFields) } };
}

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);

/** Removes the bounds that zod adds to every integer, because the API server derives the bounds from the format. */
function withoutZodIntegerBounds(schemaNode: StructuralSchema): StructuralSchema {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, ...rest } = schemaNode;
  const isInt32 = schemaNode.type === 'integer' && minimum >= MIN_INT32 && maximum <= MAX_INT32;
  const format = schemaNode.format ?? (isInt32 ? 'int32' : undefined);
  const [least, most] =
    format === 'int32' ? [MIN_INT32, MAX_INT32] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return {
    ...rest,
    ...(format !== undefined && { format }),
    ...(minimum > least && { minimum }),
    ...(maximum < most && { maximum }),
  };
}

/**
 * Rewrites the parts of a schema that Kubernetes formats differently:
 * - A date-time has no pattern, because the API server checks the format.
 * - A pattern has no escaped slashes.
 * - An int-or-string has no bounds.
 * - An element of `allOf` has no type. zod uses `allOf` for a second pattern.
 */
function toKubernetesForm(schemaNode: StructuralSchema): StructuralSchema {
  const { pattern, allOf, ...rest } = schemaNode;
  if (rest['x-kubernetes-int-or-string'])
    return { ...rest, ...(pattern !== undefined && { pattern }), anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return {
    ...rest,
    ...(pattern !== undefined && schemaNode.format !== 'date-time' && { pattern: toGoPattern(pattern) }),
    ...(allOf && { allOf: allOf.map(({ type: _, ...bounds }) => toKubernetesForm(bounds)) }),
  };
}

function toGoPattern(pattern: string): string {
  return pattern.replaceAll('\\/', '/');
}

/** Adds the default to the description, because `kubectl explain` does not print defaults. */
function addDefaultToDescription(schemaNode: StructuralSchema): StructuralSchema {
  if (schemaNode.default === undefined || schemaNode.description === undefined) return schemaNode;
  const formattedDefault =
    typeof schemaNode.default === 'object' ? JSON.stringify(schemaNode.default) : schemaNode.default;
  return { ...schemaNode, description: `${schemaNode.description} Defaults to ${formattedDefault}.` };
}
