/** Rejects zod schemas that a CRD cannot represent. */
import type { z } from 'zod';

/** Advice for each zod type that JSON Schema cannot represent. */
const ADVICE_BY_TYPE: Readonly<Record<string, string>> = {
  date: 'JSON Schema cannot represent z.date(): use time(), a string in RFC 3339',
  bigint: 'JSON Schema cannot represent z.bigint(): use int64()',
  map: 'JSON Schema cannot represent z.map(): use z.record()',
  set: 'JSON Schema cannot represent z.set(): use z.array()',
  symbol: 'JSON Schema cannot represent z.symbol()',
  transform: 'the API server stores the value before the transform: transform it in the reconciler',
};
/** Flags of regular expressions that patterns in a CRD do not support. */
const UNSUPPORTED_FLAGS = /[ims]/;

/**
 * Throws a TypeError with the field and advice if a CRD cannot represent the schema. The only internal field of zod
 * that this function reads is `_zod.def`, which zod documents for library authors.
 */
export function rejectUnrepresentableSchema(schema: z.core.$ZodTypes, path: readonly (string | number)[]): void {
  const { def } = schema._zod;
  const fault =
    ADVICE_BY_TYPE[def.type] ?? (def.type === 'pipe' ? findPipeFault(def) : undefined) ?? findCheckFault(def);
  if (fault === undefined) return;
  const field = path.filter((step) => step !== 'properties').join('.');
  throw new TypeError(`${field === '' ? 'the schema' : field}: ${fault}`);
}

function findPipeFault(pipeDefinition: {
  readonly in: z.core.$ZodType;
  readonly out: z.core.$ZodType;
}): string | undefined {
  const isTransform = [pipeDefinition.in, pipeDefinition.out].some(
    (pipeSchema) => pipeSchema._zod.def.type === 'transform',
  );
  return isTransform ? ADVICE_BY_TYPE['transform'] : undefined;
}

function findCheckFault({ checks = [] }: z.core.$ZodTypeDef): string | undefined {
  for (const check of checks) {
    const { def } = check._zod;
    const pattern = 'pattern' in def && def.pattern instanceof RegExp ? def.pattern : undefined;
    if (pattern !== undefined && UNSUPPORTED_FLAGS.test(pattern.flags))
      return `${pattern} loses its flags in a CRD: write the pattern without them, such as [Aa] for /a/i`;
  }
  return undefined;
}
