/** What stands behind the wrappers of a zod schema: `z.string().max(5).optional().default('a')` is a string in two of them. */
import type { z } from 'zod';

/** Any zod schema, of which `_zod.def.type` says what it is. */
export type Schema = z.core.$ZodTypes;

/** zod types what a schema consists of as the base class of all schemas; every one that there is has a `type`. */
function known(schema: z.core.$ZodType): Schema {
  return schema as Schema;
}

/** The schema itself, then what it wraps, from the outside to the inside. Of a schema without wrappers only itself. */
export function* layersOf(schema: z.core.$ZodType): Generator<Schema, void, undefined> {
  for (let layer: Schema | undefined = known(schema); layer !== undefined; layer = wrappedBy(layer)) yield layer;
}

function wrappedBy({ _zod: { def } }: Schema): Schema | undefined {
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
    case 'nonoptional':
    case 'readonly':
      return known(def.innerType);
    case 'lazy':
      return known(def.getter());
    default:
      return undefined;
  }
}

/** What is left without the wrappers. */
export function baseOf(schema: z.core.$ZodType): Schema {
  let base = known(schema);
  for (const layer of layersOf(schema)) base = layer;
  return base;
}

/** Whether the field may be left out: it is optional, or has a default. */
export function mayBeAbsent(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined;
}

export type Check = z.core.$ZodCheck<unknown[]>;

/** Those that were put on this layer; zod types them by what they look at. */
export function checksOf({ _zod }: Schema): readonly Check[] {
  return (_zod.def.checks ?? []) as readonly z.core.$ZodCheck<never>[] as readonly Check[];
}

const LENGTHS: ReadonlySet<string> = new Set(['min_length', 'max_length', 'length_equals']);

/** Whether it is about how long a list, or a text, may be. */
export function isLengthCheck({ _zod }: Check): boolean {
  return LENGTHS.has(_zod.def.check);
}
