/**
 * The variants of a discriminated union. CRDs do not support unions. The schema in the CRD therefore has the fields of
 * all variants, and CEL rules allow each variant only its own fields.
 */
import { z } from 'zod';
import type { ValidationRule } from './structural-schema.ts';
import { canBeAbsent, unwrap, type ZodSchema } from './wrapped-schema.ts';

export interface DiscriminatedUnion {
  /** Name of the field whose value selects the variant. */
  readonly discriminator: string;
  readonly options: readonly Variant[];
}

interface Variant {
  /** Values of the discriminator. */
  readonly values: readonly string[];
  readonly schema: z.core.$ZodObject;
}

/** Returns the variants, or `undefined` if the schema is not a discriminated union of objects. */
export function getVariants({ _zod: { def } }: ZodSchema): DiscriminatedUnion | undefined {
  if (def.type !== 'union' || !('discriminator' in def) || typeof def.discriminator !== 'string') return undefined;
  const { discriminator } = def;
  const options = def.options.map((option) => {
    const schema = unwrap(option);
    const values = [...(schema._zod.propValues?.[discriminator] ?? [])].filter((value) => typeof value === 'string');
    return isObjectSchema(schema) ? { values, schema } : undefined;
  });
  const variants = options.filter((option) => option !== undefined);
  return variants.length === options.length ? { discriminator, options: variants } : undefined;
}

function isObjectSchema(schema: z.core.$ZodTypes): schema is z.core.$ZodObject {
  return schema._zod.def.type === 'object';
}

/** A rule as a CEL expression and as a JavaScript function. */
export interface VariantRule extends ValidationRule {
  readonly isValid: (object: ObjectValue, oldObject?: ObjectValue) => boolean;
}

type ObjectValue = Readonly<Record<string, unknown>>;

/**
 * Returns rules that allow each variant only its own fields, and demand its required fields. The result includes the
 * rules that `apiRule` adds to a single variant.
 */
export function listVariantRules({ discriminator, options }: DiscriminatedUnion): readonly VariantRule[] {
  const names = new Set(options.flatMap(({ schema }) => Object.keys(schema._zod.def.shape)));
  names.delete(discriminator);
  const fieldRules = [...names].flatMap((name) => {
    const having = options.filter(({ schema }) => name in schema._zod.def.shape);
    const requiring = having.filter(({ schema }) => {
      const field = schema._zod.def.shape[name];
      return field !== undefined && !canBeAbsent(field);
    });
    const [allowed, required] = [having, requiring].map((some) => some.flatMap(({ values }) => values));
    return [
      ...(requiring.length > 0 && requiring.length < options.length
        ? [buildFieldRule(name, discriminator, required ?? [], 'required')]
        : []),
      ...(having.length < options.length ? [buildFieldRule(name, discriminator, allowed ?? [], 'allowed')] : []),
    ];
  });
  return [...fieldRules, ...options.flatMap((option) => listApiRulesOfVariant(discriminator, option))];
}

/** Returns the rules that `apiRule` adds to a variant. */
function listApiRulesOfVariant(discriminator: string, { values, schema }: Variant): readonly VariantRule[] {
  const rules = z.globalRegistry.get(schema)?.['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.map(({ rule, isValid = () => true, ...rest }) => ({
    ...rest,
    rule: `!(self.${escapeName(discriminator)} in ${JSON.stringify(values)}) || (${rule})`,
    isValid: (object: ObjectValue, oldObject?: ObjectValue) =>
      !values.includes(String(object[discriminator])) || isValid(object, oldObject),
  }));
}

function buildFieldRule(
  name: string,
  discriminator: string,
  values: readonly string[],
  kind: 'required' | 'allowed',
): VariantRule {
  const [self, field] = [`self.${escapeName(discriminator)}`, `self.${escapeName(name)}`];
  const isVariant = `${self} in ${JSON.stringify(values)}`;
  const list = values.join(' or ');
  const matches = (object: ObjectValue) => values.includes(String(object[discriminator]));
  if (kind === 'required') {
    return {
      rule: `!(${isVariant}) || has(${field})`,
      message: `${name} is required if ${discriminator} is ${list}`,
      isValid: (object) => !matches(object) || hasField(object, name),
    };
  }
  return {
    rule: `${isVariant} || !has(${field})`,
    message: `${name} is only allowed if ${discriminator} is ${list}`,
    isValid: (object) => matches(object) || !hasField(object, name),
  };
}

/** Treats a field with the value null as absent, like `has` in CEL. */
function hasField(object: ObjectValue, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== null;
}

/** Words that CEL reserves. */
const CEL_RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'false', 'for', 'function', 'if', 'import', 'in', 'let', 'loop'],
  ...['namespace', 'null', 'package', 'return', 'true', 'var', 'void', 'while'],
]);

/** Escapes a field name for a CEL expression, as the API server requires. */
function escapeName(name: string): string {
  if (CEL_RESERVED_WORDS.has(name)) return `__${name}__`;
  return name.replaceAll('__', '__underscores__').replaceAll('-', '__dash__').replaceAll('.', '__dot__');
}
