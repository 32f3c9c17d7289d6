/** Unwraps zod schemas. For example, `z.string().optional().default('a')` is a string schema in two wrappers. */
import type { z } from 'zod';

/** A zod schema of any type. `_zod.def.type` is the name of the type. */
export type ZodSchema = z.core.$ZodTypes;

/** zod declares nested schemas with a base class that has no `type`. At run time, every schema has a `type`. */
function asSchema(schema: z.core.$ZodType): ZodSchema {
  return schema as ZodSchema;
}

/** Yields `schema` and all wrapped schemas, from the outermost to the innermost schema. */
export function* unwrapLayers(schema: z.core.$ZodType): Generator<ZodSchema, void, undefined> {
  for (let layer: ZodSchema | undefined = asSchema(schema); layer !== undefined; layer = getInnerSchema(layer))
    yield layer;
}

function getInnerSchema({ _zod: { def } }: ZodSchema): ZodSchema | undefined {
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
    case 'nonoptional':
    case 'readonly':
      return asSchema(def.innerType);
    case 'lazy':
      return asSchema(def.getter());
    default:
      return undefined;
  }
}

export function unwrap(schema: z.core.$ZodType): ZodSchema {
  let innermostSchema = asSchema(schema);
  for (const layer of unwrapLayers(schema)) innermostSchema = layer;
  return innermostSchema;
}

/** Returns whether the field is optional or has a default. */
export function canBeAbsent(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined;
}

export type ZodCheck = z.core.$ZodCheck<unknown[]>;

/** Returns the checks of a schema, without the checks of wrapped schemas. */
export function getChecks({ _zod }: ZodSchema): readonly ZodCheck[] {
  return (_zod.def.checks ?? []) as readonly z.core.$ZodCheck<never>[] as readonly ZodCheck[];
}

const LENGTH_CHECKS: ReadonlySet<string> = new Set(['min_length', 'max_length', 'length_equals']);

export function isLengthCheck({ _zod }: ZodCheck): boolean {
  return LENGTH_CHECKS.has(_zod.def.check);
}
