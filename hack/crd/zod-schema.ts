/** zod → structural schema. */
import { z } from 'zod';
import { KUBERNETES_SCHEMA_META } from '../../api/v1/cronjob-types.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** What zod prints for a node; wider than {@link StructuralSchema} by what the pass below takes away. */
type ZodJsonSchema = Omit<StructuralSchema, 'properties' | 'additionalProperties' | 'items'> & {
  readonly properties?: Readonly<Record<string, ZodJsonSchema>>;
  readonly additionalProperties?: ZodJsonSchema;
  readonly items?: ZodJsonSchema;
  readonly [KUBERNETES_SCHEMA_META]?: string;
};

/**
 * The structural schema of what a client may send: fields with a default are optional.
 *
 * A schema marked with {@link KUBERNETES_SCHEMA_META} is replaced by the one of that name in `kubernetesSchemas`, which
 * keeps the mark's own description.
 */
export function structuralFromZod(
  schema: z.ZodType,
  kubernetesSchemas: Readonly<Record<string, StructuralSchema>> = {},
): StructuralSchema {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' });
  // zod types its answer as the whole of JSON Schema; structuralFaults() judges what comes out of here.
  return structural(json as ZodJsonSchema, kubernetesSchemas);
}

function structural(
  node: ZodJsonSchema,
  kubernetesSchemas: Readonly<Record<string, StructuralSchema>>,
): StructuralSchema {
  const { [KUBERNETES_SCHEMA_META]: name, properties, additionalProperties, items, ...rest } = node;
  if (name !== undefined) return { ...named(name, kubernetesSchemas), ...rest };
  return {
    ...withDefaultDescribed(withoutZodBounds(withGoPattern(rest))),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, child]) => [key, structural(child, kubernetesSchemas)]),
      ),
    }),
    ...(additionalProperties && { additionalProperties: structural(additionalProperties, kubernetesSchemas) }),
    ...(items && { items: structural(items, kubernetesSchemas) }),
  };
}

function named(name: string, kubernetesSchemas: Readonly<Record<string, StructuralSchema>>): StructuralSchema {
  const schema = kubernetesSchemas[name];
  if (schema === undefined) throw new Error(`no Kubernetes schema is called ${name}`);
  return schema;
}

/** `z.int()` always prints the range in which a double is exact; the API server has `format` for the range. */
function withoutZodBounds(node: StructuralSchema): StructuralSchema {
  const { minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

/** The API server checks date-time itself, so zod's 300 characters of pattern go; and Go's patterns escape no slash. */
function withGoPattern(node: StructuralSchema): StructuralSchema {
  const { pattern, ...rest } = node;
  if (pattern === undefined || node.format === 'date-time') return rest;
  return { ...rest, pattern: pattern.replaceAll('\\/', '/') };
}

/** `kubectl explain` prints no defaults, so the description says it. */
function withDefaultDescribed(node: StructuralSchema): StructuralSchema {
  if (node.default === undefined || node.description === undefined) return node;
  return { ...node, description: `${node.description} Defaults to ${node.default}.` };
}
