import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { fault, invalid, findFieldFaults as of } from '../test-support/schema-faults.ts';
import { apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';

const REQUIRED = fault('Required', 'spec.x', 'Required value');
const isInvalid = (why: string) => invalid('spec.x', why);
const typeInvalid = (why: string) => fault('TypeInvalid', 'spec.x', `Invalid value: ${why}`);
const tooLong = (why: string) => fault('TooLong', 'spec.x', `Too long: ${why}`);
const tooMany = (why: string) => fault('TooMany', 'spec.x', `Too many: ${why}`);

type Row = readonly [name: string, schema: z.ZodType, value: unknown, want: FieldError];

const words: readonly Row[] = [
  ['a number above its bound', int32().max(10), 11, isInvalid('11: must be less than or equal to 10')],
  ['a number below its bound', int64().min(0), -1, isInvalid('-1: must be greater than or equal to 0')],
  ['a number at its bound', z.number().gt(0), 0, isInvalid('0: must be greater than 0')],
  ['a number between steps', z.number().multipleOf(5), 7, isInvalid('7: should be a multiple of 5')],
  ['an int32 that is larger', int32(), 2 ** 31, isInvalid('2147483648: must be less than or equal to 2147483647')],
  ['an int32 with a fraction', int32(), 1.5, typeInvalid('1.5: must be of type integer')],
  ['an int64 with a fraction', int64(), 1.5, typeInvalid('1.5: must be of type integer')],
  ...[int32(), int64()].map(
    (schema): Row => [
      'a text in place of a whole number',
      schema,
      '3',
      typeInvalid('"3": must be of type integer; write 3 without quotes'),
    ],
  ),
  ['another type', z.boolean(), 'yes', typeInvalid('"yes": must be of type boolean; write true without quotes')],
  ['a list in place of an object', z.object({}), [], typeInvalid('"array": must be of type object')],
  ['an object in place of a list', z.array(z.string()), {}, typeInvalid('"object": must be of type array')],
  ['nothing', z.string(), undefined, REQUIRED],
  ['null', z.enum(['a']), null, REQUIRED],
  ['no type of Kubernetes', kubernetesSchema('io.k8s.X'), undefined, REQUIRED],
  [
    'a value that is not in the list',
    z.enum(['a', 'b']),
    'x',
    fault('NotSupported', 'spec.x', 'Unsupported value: "x": supported values: "a", "b"'),
  ],
  ['a text that is too long', z.string().max(3), 'abcd', tooLong('may not be more than 3 bytes')],
  ['a text that is too short', z.string().min(1), '', isInvalid('"": should be at least 1 chars long')],
  ['another pattern', z.string().regex(/^a$/), 'b', isInvalid('"b": must match the pattern /^a$/')],
  ['no time', time(), 'noon', isInvalid('"noon": must be of type date-time')],
  ['too many elements', z.array(z.int()).max(1), ['a', 'b'], tooMany('2: must have at most 1 items')],
  ['too few elements', z.array(z.int()).min(1), [], isInvalid('"array": should have at least 1 items')],
  ['neither a number nor a name', intOrString(), {}, isInvalid('"object": is not valid')],
  ['a key of a map', z.record(z.string().max(1), z.int()), { ab: 1 }, tooLong('may not be more than 1 bytes')],
  ['a long value', z.boolean(), 'x'.repeat(101), typeInvalid(`"${'x'.repeat(100)}…": must be of type boolean`)],
];

describe('with the wording of built-in kinds', () => {
  test.each(words)('%s', (_, schema, value, want) => {
    expect(of(schema, value)).toEqual([want]);
  });
});

describe('with a message of the schema', () => {
  test.each<Row>([
    ['of a bound', z.string().max(1, 'own'), 'ab', tooLong('own')],
    ['of a list', z.array(z.int()).max(0, 'own'), [1], tooMany('1: own')],
    ['of a type', z.string('own'), 1, typeInvalid('1: own')],
    ['of what is missing', z.string('own'), undefined, fault('Required', 'spec.x', 'Required value: own')],
    ['of a rule', z.string().refine(() => false, 'own'), 'a', isInvalid('"a": own')],
    [
      'of a rule on an object',
      z.object({ a: z.int() }).refine(() => false, { error: 'own', path: ['a'] }),
      { a: 1 },
      invalid('spec.x.a', '1: own'),
    ],
    [
      'of a rule with a reason',
      z.string().refine(() => false, { error: 'own', params: { reason: 'FieldValueForbidden' } }),
      'a',
      fault('Forbidden', 'spec.x', 'Forbidden: own'),
    ],
    [
      'of a rule in two languages',
      apiRule(z.string(), { rule: 'self == ""', message: 'own', isValid: (text) => text === '' }).optional(),
      'a',
      isInvalid('"a": own'),
    ],
  ])('%s', (_, schema, value, want) => {
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
