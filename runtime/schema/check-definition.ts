import type { z } from 'zod';
import { unwrap } from './wrapped-schema.ts';

interface DefinitionToCheck {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly spec: z.core.$ZodType;
  readonly status: z.core.$ZodType | undefined;
}

/** Throws an error if the definition has faults. The error lists every fault with advice. */
export function checkDefinition(definition: DefinitionToCheck): void {
  const faults = [...findNameFaults(definition), ...findSchemaFaults(definition)];
  if (faults.length > 0) throw new Error(`define kind ${JSON.stringify(definition.kind)}: ${faults.join('; ')}`);
}

const CAMEL_CASE_PATTERN = /^[A-Z][A-Za-z0-9]{0,62}$/;
const DNS_LABEL_PATTERN = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DOMAIN_PATTERN = /^(?=.{1,253}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function findNameFaults(definition: DefinitionToCheck): readonly string[] {
  const { group, version, kind, plural, singular, shortNames, categories } = definition;
  const dnsLabels = [
    ['plural', plural],
    ['singular', singular],
    ...shortNames.map((each) => ['short name', each] as const),
    ...categories.map((each) => ['category', each] as const),
  ] as const;
  return [
    ...findPatternFault(CAMEL_CASE_PATTERN, 'kind', kind, 'must be CamelCase, such as Website'),
    ...findPatternFault(
      DOMAIN_PATTERN,
      'group',
      group,
      'must be a domain in lower case with a dot, such as example.com',
    ),
    ...findPatternFault(DNS_LABEL_PATTERN, 'version', version, 'must be a version such as v1, v1beta1 or v1alpha1'),
    ...dnsLabels.flatMap(([what, name]) =>
      findPatternFault(
        DNS_LABEL_PATTERN,
        what,
        name,
        'must be lower-case letters, digits and hyphens, and begin with a letter',
      ),
    ),
  ];
}

function findPatternFault(pattern: RegExp, nameType: string, name: string, advice: string): readonly string[] {
  return pattern.test(name) ? [] : [`${nameType} ${JSON.stringify(name)} ${advice}`];
}

function findSchemaFaults({ spec, status }: DefinitionToCheck): readonly string[] {
  return Object.entries({ spec, status })
    .filter(([, schema]) => schema !== undefined && getSchemaType(schema) !== 'object')
    .map(
      ([name, schema]) =>
        `${name} must be an object (z.object({ … })), not ${getSchemaType(schema) ?? 'a plain value'}`,
    );
}

/**
 * Returns the name of the zod type. Returns `undefined` for a value that is not a zod schema, which a JavaScript caller
 * can pass.
 */
function getSchemaType(schema: z.core.$ZodType | undefined): string | undefined {
  return schema?._zod === undefined ? undefined : unwrap(schema)._zod.def.type;
}
