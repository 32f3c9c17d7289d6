/** Unwraps zod schemas: `z.string().max(5).optional().default('a')` is a string in two wrappers. */
import type { z } from 'zod';

/** Any zod schema; `_zod.def.type` tells them apart. */
export type ZodSchema = z.core.$ZodTypes;

/** In zod's types, a part of a schema has the base class, which has no `type`. At run time every schema has one. */
function asSchema(schema: z.core.$ZodType): ZodSchema {
  return schema as ZodSchema;
}

/**
 * Yields the schema itself, then the schemas that it wraps, from the outside to the inside. For a schema without
 * wrappers, only itself.
 */
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

/** Returns the innermost schema. */
export function unwrap(schema: z.core.$ZodType): ZodSchema {
  let base = asSchema(schema);
  for (const layer of unwrapLayers(schema)) base = layer;
  return base;
}

/** Whether the field is optional or has a default. */
export function mayBeAbsent(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined;
}

export type ZodCheck = z.core.$ZodCheck<unknown[]>;

/** The checks on this layer; zod types them by their input. */
export function getChecks({ _zod }: ZodSchema): readonly ZodCheck[] {
  return (_zod.def.checks ?? []) as readonly z.core.$ZodCheck<never>[] as readonly ZodCheck[];
}

const LENGTH_CHECKS: ReadonlySet<string> = new Set(['min_length', 'max_length', 'length_equals']);

/** Whether it checks the length of a list or a text. */
export function isLengthCheck({ _zod }: ZodCheck): boolean {
  return LENGTH_CHECKS.has(_zod.def.check);
}
