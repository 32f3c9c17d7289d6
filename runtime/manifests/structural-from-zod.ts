/** Converts zod schemas to structural schemas. */
import { z } from 'zod';
import { KUBERNETES_SCHEMA_META } from '../schema/field-types.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { rejectUnrepresentable } from './unrepresentable.ts';

/** Structural schemas of Kubernetes' own types, by their name in OpenAPI. */
export type KubernetesSchemas = Readonly<Record<string, StructuralSchema>>;

/** zod's output for a node; {@link StructuralSchema} plus the keys that the conversion below removes. */
type ZodJsonSchema = Omit<StructuralSchema, 'properties' | 'additionalProperties' | 'items'> & {
  readonly properties?: Readonly<Record<string, ZodJsonSchema>>;
  /** `false` for a strict object, `{}` for a loose object, and the schema of the values for a map. */
  readonly additionalProperties?: ZodJsonSchema | false;
  readonly items?: ZodJsonSchema;
  readonly [KUBERNETES_SCHEMA_META]?: string;
};

/**
 * The structural schema of the objects that a client may send: fields with a default are optional.
 *
 * The schema of that name in `kubernetesSchemas` replaces a schema marked with {@link KUBERNETES_SCHEMA_META}, and
 * keeps the marked schema's own description and the rules on its fields.
 */
export function structuralFromZod(schema: z.ZodType, kubernetesSchemas: KubernetesSchemas = {}): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => rejectUnrepresentable(zodSchema, path),
  });
  // zod types its result as the whole of JSON Schema; structuralFaults() checks the result of this function.
  return convert(json as ZodJsonSchema, kubernetesSchemas);
}

function convert(node: ZodJsonSchema, schemas: KubernetesSchemas): StructuralSchema {
  const { [KUBERNETES_SCHEMA_META]: name, properties, additionalProperties, items, ...rest } = node;
  if (name !== undefined)
    return { ...mergeKubernetesKeys(getKubernetesSchema(name, schemas), node), ...pickDescription(node) };
  if (isEmpty(node)) return { ...rest, 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...describeDefault(withoutDefaultBounds(toKubernetesForm(rest))),
    ...(properties &&
      hasFixedProperties(properties, additionalProperties) && { properties: convertProperties(properties, schemas) }),
    ...(additionalProperties && convertAdditionalProperties(additionalProperties, schemas)),
    ...(items && { items: convert(items, schemas) }),
  };
}

function convertProperties(properties: Readonly<Record<string, ZodJsonSchema>>, schemas: KubernetesSchemas) {
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, convert(child, schemas)]));
}

/** False for the empty list of fields of an object with a catchall: a CRD has either fields or a map. */
function hasFixedProperties(properties: object, additionalProperties: ZodJsonSchema | false | undefined): boolean {
  const isMap = additionalProperties !== undefined && additionalProperties !== false;
  return !isMap || Object.keys(properties).length > 0;
}

/** A loose object keeps unknown fields; for a strict object, the API server drops them by default. */
function convertAdditionalProperties(values: ZodJsonSchema, schemas: KubernetesSchemas): StructuralSchema {
  if (isEmpty(values)) return { 'x-kubernetes-preserve-unknown-fields': true };
  return { additionalProperties: convert(values, schemas) };
}

/** Apart from its description, `z.unknown()` says nothing about a value. */
function isEmpty(node: ZodJsonSchema): boolean {
  return Object.keys(node).every((key) => ['description', 'nullable', 'default'].includes(key));
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

/**
 * Returns `schema` with the `x-kubernetes-` keys of `marked`, on every field that both have. A schema without fields
 * cannot have such keys.
 */
function mergeKubernetesKeys(schema: StructuralSchema, marked: ZodJsonSchema): StructuralSchema {
  const keys = Object.fromEntries(Object.entries(marked).filter(([key]) => key.startsWith('x-kubernetes-')));
  const { properties } = schema;
  if (properties === undefined || marked.properties === undefined) return { ...schema, ...keys };
  const changed = Object.entries(marked.properties).map(([name, child]) => {
    const field = properties[name];
    if (field === undefined) throw new Error(`there is a rule on ${name}, but the Kubernetes schema has no such field`);
    return [name, mergeKubernetesKeys(field, child)] as const;
  });
  return { ...schema, ...keys, properties: { ...properties, ...Object.fromEntries(changed) } };
}

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);

/** Removes the natural range of zod's integers; the API server uses `format` for it. */
function withoutDefaultBounds(node: StructuralSchema): StructuralSchema {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, ...rest } = node;
  const isInt32 = node.type === 'integer' && minimum >= MIN_INT32 && maximum <= MAX_INT32;
  const format = node.format ?? (isInt32 ? 'int32' : undefined);
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
 * Converts to the form of Go and Kubernetes. The API server checks a date-time, so zod's pattern of 300 characters
 * goes; patterns do not escape slashes; an int-or-string has no bounds; and entries of `allOf`, where zod puts a second
 * pattern, have no type.
 */
function toKubernetesForm(node: StructuralSchema): StructuralSchema {
  const { pattern, allOf, ...rest } = node;
  if (rest['x-kubernetes-int-or-string']) return { ...rest, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return {
    ...rest,
    ...(pattern !== undefined && node.format !== 'date-time' && { pattern: toGoPattern(pattern) }),
    ...(allOf && { allOf: allOf.map(({ type: _, ...bounds }) => toKubernetesForm(bounds)) }),
  };
}

function toGoPattern(pattern: string): string {
  return pattern.replaceAll('\\/', '/');
}

/** `kubectl explain` does not print defaults, so the description contains the default. */
function describeDefault(node: StructuralSchema): StructuralSchema {
  if (node.default === undefined || node.description === undefined) return node;
  const formatted = typeof node.default === 'object' ? JSON.stringify(node.default) : node.default;
  return { ...node, description: `${node.description} Defaults to ${formatted}.` };
}
