import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiRule, int64, intOrString, KUBERNETES_SCHEMA_META_KEY } from '../schema/field-types.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { structuralFromZod } from './structural-from-zod.ts';

/** An object with a text `a`. */
const WITH_A: StructuralSchema = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };

const cases: readonly (readonly [name: string, given: z.ZodType, want: StructuralSchema])[] = [
  [
    'gives integers their format instead of the range of a double',
    z.int().meta({ format: 'int64' }),
    { type: 'integer', format: 'int64' },
  ],
  [
    'keeps bounds that a person set',
    z.int().min(0).max(10).meta({ format: 'int32' }),
    { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
  ],
  ['gives z.int32() its format', z.int32().min(0), { type: 'integer', format: 'int32', minimum: 0 }],
  [
    'keeps a bound that is the range of a smaller format',
    int64().max(2 ** 31 - 1),
    { type: 'integer', format: 'int64', maximum: 2 ** 31 - 1 },
  ],
  ['has no bounds of int64', int64().min(0), { type: 'integer', format: 'int64', minimum: 0 }],
  ['leaves it to the API server to drop what a strict object does not have', z.strictObject({ a: z.string() }), WITH_A],
  [
    'keeps what is in a loose object',
    z.looseObject({ a: z.string() }),
    { ...WITH_A, 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'keeps anything in what may be anything',
    z.unknown().describe('Any.'),
    { description: 'Any.', 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'writes a number or a name as Kubernetes does',
    intOrString(),
    { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  ],
  [
    'puts two patterns side by side, without types',
    z.string().regex(/^a/).regex(/\/b$/),
    { type: 'string', allOf: [{ pattern: '^a' }, { pattern: '/b$' }] },
  ],
  [
    'says a default that is an object',
    z.object({ a: z.string() }).default({ a: 'x' }).describe('An a.'),
    { ...WITH_A, default: { a: 'x' }, description: 'An a. Defaults to {"a":"x"}.' },
  ],
  [
    'leaves the check of a time to the API server',
    z.iso.datetime({ offset: true }),
    { type: 'string', format: 'date-time' },
  ],
  ['writes patterns as Go reads them', z.string().regex(/^a\/b$/), { type: 'string', pattern: '^a/b$' }],
  [
    'does not require what has a default, and says the default',
    z.object({ a: z.enum(['x', 'y']).default('x').describe('An a.'), b: z.string() }),
    {
      type: 'object',
      required: ['b'],
      properties: {
        a: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'An a. Defaults to x.' },
        b: { type: 'string' },
      },
    },
  ],
  [
    'looks into maps and lists',
    z.record(z.string(), z.array(z.int())),
    { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } },
  ],
  [
    'carries x-kubernetes keys over',
    z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' }),
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ],
];

test.each(cases)('%s', (_, given, want) => {
  expect(structuralFromZod(given)).toEqual(want);
});

const marked = z
  .custom<object>()
  .meta({ [KUBERNETES_SCHEMA_META_KEY]: 'Thing' })
  .describe('My thing.');

test('inserts the Kubernetes schema at its mark, with its own description', () => {
  const thing: StructuralSchema = { type: 'object', properties: { name: { type: 'string' } } };
  expect(structuralFromZod(marked, { Thing: thing })).toEqual({ ...thing, description: 'My thing.' });
});

test('throws for a mark with an unknown name', () => {
  expect(() => structuralFromZod(marked)).toThrow('there is no Kubernetes schema Thing');
});

describe('rejects a schema that a CRD cannot represent, with the field and the fix', () => {
  test.each([
    ['a date', z.date(), 'spec.field: JSON Schema cannot represent z.date(): use time()'],
    [
      'a transform',
      z.string().transform((text) => text.length),
      'spec.field: the API server stores the value before the transform',
    ],
    ['a preprocessed value', z.preprocess(Number, z.number()), 'spec.field: the API server stores'],
    ['a pattern with a flag', z.string().regex(/^a$/i), 'spec.field: /^a$/i loses its flags'],
    ['a set', z.set(z.string()), 'spec.field: JSON Schema cannot represent z.set(): use z.array()'],
    ['one in a list', z.array(z.date()), 'spec.field.items: JSON Schema cannot represent z.date()'],
    ['an optional one', z.date().optional(), 'spec.field: JSON Schema cannot represent z.date()'],
  ])('%s', (_, schema, want) => {
    const whole = z.strictObject({ spec: z.strictObject({ field: schema }) });
    expect(() => structuralFromZod(whole)).toThrow(want);
  });

  test('accepts a pattern whose flags have no effect', () => {
    expect(structuralFromZod(z.string().regex(/^a$/u))).toMatchObject({ pattern: '^a$' });
  });
});

describe('a discriminated union', () => {
  const s3 = z.object({ kind: z.literal('S3'), bucket: z.string(), size: z.int().optional() });
  const disk = z.object({ kind: z.literal('Disk'), path: z.string(), size: z.int().optional() });

  test('becomes an object with the fields of all variants, and rules', () => {
    expect(structuralFromZod(z.discriminatedUnion('kind', [s3, disk]).describe('A store.'))).toEqual({
      type: 'object',
      description: 'A store.',
      'x-kubernetes-map-type': 'atomic',
      required: ['kind'],
      properties: {
        kind: { type: 'string', enum: ['S3', 'Disk'] },
        bucket: { type: 'string' },
        size: { type: 'integer' },
        path: { type: 'string' },
      },
      'x-kubernetes-validations': [
        { rule: '!(self.kind in ["S3"]) || has(self.bucket)', message: 'bucket is required if kind is S3' },
        { rule: 'self.kind in ["S3"] || !has(self.bucket)', message: 'bucket is only allowed if kind is S3' },
        { rule: '!(self.kind in ["Disk"]) || has(self.path)', message: 'path is required if kind is Disk' },
        { rule: 'self.kind in ["Disk"] || !has(self.path)', message: 'path is only allowed if kind is Disk' },
      ],
    });
  });

  test('has the rules of its variants', () => {
    const rule = { rule: 'self.bucket != "a"', message: 'a is taken', isValid: () => true };
    const { 'x-kubernetes-validations': rules } = structuralFromZod(
      z.discriminatedUnion('kind', [apiRule(s3, rule), disk]),
    );
    expect(rules).toContainEqual({ rule: '!(self.kind in ["S3"]) || (self.bucket != "a")', message: 'a is taken' });
  });

  test.each([
    [{ path: z.int() }, 'union by kind: path has several schemas; use one schema or several names'],
    [{ mode: z.int().default(1) }, 'union by kind: mode has a default, which the API server would set in all variants'],
  ])('is rejected if a CRD cannot represent its fields: %o', (fields, message) => {
    const tape = z.object({ kind: z.literal('Tape'), ...fields });
    expect(() => structuralFromZod(z.discriminatedUnion('kind', [s3, disk, tape]))).toThrow(message);
  });
});
