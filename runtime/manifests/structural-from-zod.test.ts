import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { int64, intOrString, KUBERNETES_SCHEMA_META } from '../schema/field-types.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { structuralFromZod } from './structural-from-zod.ts';

const cases: readonly { name: string; given: z.ZodType; want: StructuralSchema }[] = [
  {
    name: 'gives integers their format instead of the range of a double',
    given: z.int().meta({ format: 'int64' }),
    want: { type: 'integer', format: 'int64' },
  },
  {
    name: 'keeps bounds that a person set',
    given: z.int().min(0).max(10).meta({ format: 'int32' }),
    want: { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
  },
  {
    name: 'gives z.int32() its format',
    given: z.int32().min(0),
    want: { type: 'integer', format: 'int32', minimum: 0 },
  },
  {
    name: 'keeps a bound that is the range of a smaller format',
    given: int64().max(2 ** 31 - 1),
    want: { type: 'integer', format: 'int64', maximum: 2 ** 31 - 1 },
  },
  { name: 'has no bounds of int64', given: int64().min(0), want: { type: 'integer', format: 'int64', minimum: 0 } },
  {
    name: 'leaves it to the API server to drop what a strict object does not have',
    given: z.strictObject({ a: z.string() }),
    want: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
  },
  {
    name: 'keeps what is in a loose object',
    given: z.looseObject({ a: z.string() }),
    want: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
  {
    name: 'keeps anything in what may be anything',
    given: z.unknown().describe('Any.'),
    want: { description: 'Any.', 'x-kubernetes-preserve-unknown-fields': true },
  },
  {
    name: 'writes a number or a name as Kubernetes does',
    given: intOrString(),
    want: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  },
  {
    name: 'puts two patterns side by side, without types',
    given: z.string().regex(/^a/).regex(/\/b$/),
    want: { type: 'string', allOf: [{ pattern: '^a' }, { pattern: '/b$' }] },
  },
  {
    name: 'says a default that is an object',
    given: z.object({ a: z.string() }).default({ a: 'x' }).describe('An a.'),
    want: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
      default: { a: 'x' },
      description: 'An a. Defaults to {"a":"x"}.',
    },
  },
  {
    name: 'leaves the check of a time to the API server',
    given: z.iso.datetime({ offset: true }),
    want: { type: 'string', format: 'date-time' },
  },
  {
    name: 'writes patterns as Go reads them',
    given: z.string().regex(/^a\/b$/),
    want: { type: 'string', pattern: '^a/b$' },
  },
  {
    name: 'does not require what has a default, and says the default',
    given: z.object({ a: z.enum(['x', 'y']).default('x').describe('An a.'), b: z.string() }),
    want: {
      type: 'object',
      required: ['b'],
      properties: {
        a: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'An a. Defaults to x.' },
        b: { type: 'string' },
      },
    },
  },
  {
    name: 'looks into maps and lists',
    given: z.record(z.string(), z.array(z.int())),
    want: { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } },
  },
  {
    name: 'carries x-kubernetes keys over',
    given: z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' }),
    want: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
];

test.each(cases)('$name', ({ given, want }) => {
  expect(structuralFromZod(given)).toEqual(want);
});

const marked = z
  .custom<object>()
  .meta({ [KUBERNETES_SCHEMA_META]: 'Thing' })
  .describe('My thing.');

test('puts the Kubernetes schema where the mark is, under its own description', () => {
  const thing: StructuralSchema = { type: 'object', properties: { name: { type: 'string' } } };
  expect(structuralFromZod(marked, { Thing: thing })).toEqual({ ...thing, description: 'My thing.' });
});

test('fails on a mark that names no Kubernetes schema', () => {
  expect(() => structuralFromZod(marked)).toThrow('no Kubernetes schema is called Thing');
});

describe('what a CRD cannot say is refused with its field, and with what to write instead', () => {
  test.each([
    { name: 'a date', schema: z.date(), want: 'spec.field: z.date() fits no JSON value: use time()' },
    {
      name: 'a transform',
      schema: z.string().transform((text) => text.length),
      want: 'spec.field: the API server stores what people write',
    },
    {
      name: 'a preprocessed value',
      schema: z.preprocess(Number, z.number()),
      want: 'spec.field: the API server stores',
    },
    { name: 'a pattern with a flag', schema: z.string().regex(/^a$/i), want: 'spec.field: /^a$/i loses its flags' },
    { name: 'a set', schema: z.set(z.string()), want: 'spec.field: z.set() fits no JSON value: use z.array()' },
    { name: 'one in a list', schema: z.array(z.date()), want: 'spec.field.items: z.date()' },
    { name: 'an optional one', schema: z.date().optional(), want: 'spec.field: z.date()' },
  ])('$name', ({ schema, want }) => {
    const whole = z.strictObject({ spec: z.strictObject({ field: schema }) });
    expect(() => structuralFromZod(whole)).toThrow(want);
  });

  test('a pattern with flags that mean nothing to it passes', () => {
    expect(structuralFromZod(z.string().regex(/^a$/u))).toMatchObject({ pattern: '^a$' });
  });
});
