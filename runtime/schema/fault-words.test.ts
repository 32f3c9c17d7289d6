import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { fault, invalid, faultsIn as of } from '../test-support/schema-faults.ts';
import { apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';

interface Row {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly want: FieldError;
}

const words: readonly Row[] = [
  {
    name: 'a number above its bound',
    schema: int32().max(10),
    value: 11,
    want: invalid('spec.x', '11: must be less than or equal to 10'),
  },
  {
    name: 'a number below its bound',
    schema: int64().min(0),
    value: -1,
    want: invalid('spec.x', '-1: must be greater than or equal to 0'),
  },
  {
    name: 'a number at its bound',
    schema: z.number().gt(0),
    value: 0,
    want: invalid('spec.x', '0: must be greater than 0'),
  },
  {
    name: 'a number between steps',
    schema: z.number().multipleOf(5),
    value: 7,
    want: invalid('spec.x', '7: should be a multiple of 5'),
  },
  {
    name: 'an int32 that is larger',
    schema: int32(),
    value: 2 ** 31,
    want: invalid('spec.x', '2147483648: must be less than or equal to 2147483647'),
  },
  {
    name: 'an int32 with a fraction',
    schema: int32(),
    value: 1.5,
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: 1.5: must be of type integer'),
  },
  {
    name: 'an int64 with a fraction',
    schema: int64(),
    value: 1.5,
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: 1.5: must be of type integer'),
  },
  ...[int32(), int64()].map((schema) => ({
    name: 'a text in place of a whole number',
    schema,
    value: '3',
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: "3": must be of type integer; write 3 without quotes'),
  })),
  {
    name: 'another type',
    schema: z.boolean(),
    value: 'yes',
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: "yes": must be of type boolean; write true without quotes'),
  },
  {
    name: 'a list in place of an object',
    schema: z.object({}),
    value: [],
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: "array": must be of type object'),
  },
  {
    name: 'an object in place of a list',
    schema: z.array(z.string()),
    value: {},
    want: fault('TypeInvalid', 'spec.x', 'Invalid value: "object": must be of type array'),
  },
  { name: 'nothing', schema: z.string(), value: undefined, want: fault('Required', 'spec.x', 'Required value') },
  { name: 'null', schema: z.enum(['a']), value: null, want: fault('Required', 'spec.x', 'Required value') },
  {
    name: 'no type of Kubernetes',
    schema: kubernetesSchema('io.k8s.X'),
    value: undefined,
    want: fault('Required', 'spec.x', 'Required value'),
  },
  {
    name: 'a value that is not in the list',
    schema: z.enum(['a', 'b']),
    value: 'x',
    want: fault('NotSupported', 'spec.x', 'Unsupported value: "x": supported values: "a", "b"'),
  },
  {
    name: 'a text that is too long',
    schema: z.string().max(3),
    value: 'abcd',
    want: fault('TooLong', 'spec.x', 'Too long: may not be more than 3 bytes'),
  },
  {
    name: 'a text that is too short',
    schema: z.string().min(1),
    value: '',
    want: invalid('spec.x', '"": should be at least 1 chars long'),
  },
  {
    name: 'another pattern',
    schema: z.string().regex(/^a$/),
    value: 'b',
    want: invalid('spec.x', '"b": must match the pattern /^a$/'),
  },
  { name: 'no time', schema: time(), value: 'noon', want: invalid('spec.x', '"noon": must be of type date-time') },
  {
    name: 'too many elements',
    schema: z.array(z.int()).max(1),
    value: ['a', 'b'],
    want: fault('TooMany', 'spec.x', 'Too many: 2: must have at most 1 items'),
  },
  {
    name: 'too few elements',
    schema: z.array(z.int()).min(1),
    value: [],
    want: invalid('spec.x', '"array": should have at least 1 items'),
  },
  {
    name: 'neither a number nor a name',
    schema: intOrString(),
    value: {},
    want: invalid('spec.x', '"object": is not valid'),
  },
  {
    name: 'a key of a map',
    schema: z.record(z.string().max(1), z.int()),
    value: { ab: 1 },
    want: fault('TooLong', 'spec.x', 'Too long: may not be more than 1 bytes'),
  },
  {
    name: 'a long value',
    schema: z.boolean(),
    value: 'x'.repeat(101),
    want: fault('TypeInvalid', 'spec.x', `Invalid value: "${'x'.repeat(100)}…": must be of type boolean`),
  },
];

describe('in the words of built-in kinds', () => {
  test.each(words)('$name', ({ schema, value, want }) => {
    expect(of(schema, value)).toEqual([want]);
  });
});

describe('with a message of the schema', () => {
  test.each<Row>([
    {
      name: 'of a bound',
      schema: z.string().max(1, 'own'),
      value: 'ab',
      want: fault('TooLong', 'spec.x', 'Too long: own'),
    },
    {
      name: 'of a list',
      schema: z.array(z.int()).max(0, 'own'),
      value: [1],
      want: fault('TooMany', 'spec.x', 'Too many: 1: own'),
    },
    {
      name: 'of a type',
      schema: z.string('own'),
      value: 1,
      want: fault('TypeInvalid', 'spec.x', 'Invalid value: 1: own'),
    },
    {
      name: 'of what is missing',
      schema: z.string('own'),
      value: undefined,
      want: fault('Required', 'spec.x', 'Required value: own'),
    },
    {
      name: 'of a rule',
      schema: z.string().refine(() => false, 'own'),
      value: 'a',
      want: invalid('spec.x', '"a": own'),
    },
    {
      name: 'of a rule on an object',
      schema: z.object({ a: z.int() }).refine(() => false, { error: 'own', path: ['a'] }),
      value: { a: 1 },
      want: invalid('spec.x.a', '1: own'),
    },
    {
      name: 'of a rule with a reason',
      schema: z.string().refine(() => false, { error: 'own', params: { reason: 'FieldValueForbidden' } }),
      value: 'a',
      want: fault('Forbidden', 'spec.x', 'Forbidden: own'),
    },
    {
      name: 'of a rule in two languages',
      schema: apiRule(z.string(), { rule: 'self == ""', message: 'own', isGood: (text) => text === '' }).optional(),
      value: 'a',
      want: invalid('spec.x', '"a": own'),
    },
  ])('$name', ({ schema, value, want }) => {
    expect(of(schema, value)).toEqual([want]);
  });
});

test.each<{ readonly path: string; readonly schema: z.ZodType; readonly value: unknown }>([
  { path: 'spec.x.a', schema: z.object({ a: z.int() }), value: { a: '' } },
  { path: 'spec.x[1].name', schema: z.array(z.object({ name: z.int() })), value: [{ name: 1 }, { name: '' }] },
  { path: 'spec.x[memory]', schema: z.record(z.string(), z.int()), value: { memory: '' } },
  { path: 'spec.x[example.com/a]', schema: z.object({ 'example.com/a': z.int() }), value: { 'example.com/a': '' } },
  { path: 'spec.x.a', schema: z.object({ a: z.int() }).optional().readonly(), value: { a: '' } },
  { path: 'spec.x[0]', schema: z.array(z.int()).default([]), value: [''] },
])('names the field $path', ({ path, schema, value }) => {
  expect(of(schema, value).map(({ field }) => field)).toEqual([path]);
});
