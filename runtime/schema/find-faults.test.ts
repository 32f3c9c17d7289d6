import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fault, invalid, findFieldFaults as of } from '../test-support/schema-faults.ts';
import { apiRule, int64, kubernetesSchema } from './field-types.ts';
import { MAX_FAULTS } from './find-faults.ts';

describe('accepts', () => {
  test.each<{ readonly name: string; readonly schema: z.ZodType; readonly value: unknown }>([
    { name: 'what has a default, left out', schema: z.int().default(1), value: undefined },
    { name: 'null in place of nothing', schema: z.int().optional(), value: null },
    { name: 'null where it means something', schema: z.int().nullable(), value: null },
    { name: 'fields that it does not know', schema: z.strictObject({ a: z.int() }), value: { a: 1, b: 2 } },
    { name: 'the largest int64, as JSON reads it', schema: int64(), value: 2 ** 63 },
    { name: 'as many characters as the API server counts', schema: z.string().max(2), value: '😀😀' },
    { name: 'all that is in a type of Kubernetes', schema: kubernetesSchema('io.k8s.X'), value: { any: [null] } },
  ])('$name', ({ schema, value }) => {
    expect(of(schema, value)).toEqual([]);
  });
});

describe('a rule on an object or a list', () => {
  const isOrdered = ({ min, max }: { min: number; max: number }) => min <= max;
  const range = z
    .object({ min: z.int().default(5), max: z.int(), other: z.int().optional() })
    .refine(isOrdered, 'must be in order');
  const disorder = (value: string) => invalid('spec.x', `${value}: must be in order`);

  test('gets the defaults, and no null', () => {
    expect(of(range, { min: null, max: 4, other: null })).toEqual([disorder('"object"')]);
    expect(of(range, { max: 5 })).toEqual([]);
  });

  test('is skipped if a part is invalid', () => {
    expect(of(range, { min: 'a', max: 4 }).map(({ field }) => field)).toEqual(['spec.x.min']);
  });

  test('is reported if the update breaks it, but not if it was broken before', () => {
    expect(of(range, { min: 9, max: 6 }, { x: { min: 1, max: 6 } })).toEqual([disorder('"object"')]);
    expect(of(range, { min: 9, max: 6, other: 1 }, { x: { min: 9, max: 6 } })).toEqual([]);
  });

  test('checks a list if its elements are valid', () => {
    const list = z
      .array(z.int())
      .max(9)
      .refine((elements) => new Set(elements).size === elements.length, 'must differ');
    expect(of(list, [1, 1])).toEqual([invalid('spec.x', '"array": must differ')]);
    expect(of(list, [1, 1, 'a']).map(({ field }) => field)).toEqual(['spec.x[2]']);
  });
});

describe('a rule with oldSelf', () => {
  const hasSameValue = (value: unknown, oldValue?: unknown) => value === oldValue;
  const rule = { rule: 'self == oldSelf', message: 'must not change', isValid: hasSameValue };
  const fixed = apiRule(z.string().max(9), rule);
  const change = (value: string) => [invalid('spec.x', `${value}: must not change`)];

  test('is checked if the update changes the value', () => {
    expect(of(fixed, 'b', { x: 'a' })).toEqual(change('"b"'));
    expect(of(fixed.optional(), 'b', { x: 'a' })).toEqual(change('"b"'));
    expect(of(fixed, 'a', { x: 'a' })).toEqual([]);
  });

  test('is skipped for a new value, and if a value has another fault', () => {
    expect(of(fixed, 'b')).toEqual([]);
    expect(of(fixed, 'b', { x: undefined })).toEqual([]);
    expect(of(fixed, 'b', { x: 1 })).toEqual([]);
    expect(of(fixed, 'too long for it', { x: 'a' })).toHaveLength(1);
  });

  test('is also checked for a new value with optionalOldSelf', () => {
    const isRising = (value: number, oldValue = 0) => value >= oldValue;
    const rising = apiRule(z.int(), {
      rule: 'self >= oldSelf.orValue(0)',
      optionalOldSelf: true,
      message: 'must not fall',
      isValid: isRising,
    });
    const fall = (value: number) => [invalid('spec.x', `${value}: must not fall`)];
    expect(of(rising, -1)).toEqual(fall(-1));
    expect(of(rising, 2, { x: 3 })).toEqual(fall(2));
    expect(of(rising, 3, { x: 2 })).toEqual([]);
  });

  test('gets both values with their defaults', () => {
    const fields = z.object({ size: z.int().default(1), note: z.string().optional() });
    const fixedSize = apiRule(fields, { ...rule, isValid: ({ size }, old) => size === old?.size });
    expect(of(fixedSize, { size: 1, note: 'new' }, { x: {} })).toEqual([]);
    expect(of(fixedSize, { size: 2 }, { x: {} })).toEqual(change('"object"'));
  });

  test('of a variant is checked if the old value has the same variant', () => {
    const union = z.discriminatedUnion('kind', [
      apiRule(z.object({ kind: z.literal('Disk'), path: z.string() }), {
        ...rule,
        isValid: ({ path }, old) => path === old?.path,
      }),
      z.object({ kind: z.literal('None') }),
    ]);
    const disk = { kind: 'Disk', path: '/a' };
    expect(of(union, disk, { x: { kind: 'Disk', path: '/b' } })).toEqual(change('"object"'));
    expect(of(union, disk, { x: { kind: 'None' } })).toEqual([]);
  });

  test('is skipped in a list, whose elements may have moved', () => {
    expect(of(z.array(fixed), ['new', 'a'], { x: ['a'] })).toEqual([]);
  });
});

describe('on update', () => {
  const pair = z.object({ a: z.int(), b: z.int() });

  test('ignores unchanged values', () => {
    expect(of(pair, { a: '', b: '' }, { x: { a: '', b: 1 } }).map(({ field }) => field)).toEqual(['spec.x.b']);
    expect(of(z.array(z.int()), ['a', 'b'], { x: ['a'] }).map(({ field }) => field)).toEqual(['spec.x[1]']);
    expect(of(z.record(z.string().max(1), z.int()), { ab: '' }, { x: { ab: '' } })).toEqual([]);
    expect(of(z.enum(['a']), { b: [1] }, { x: { b: [1] } })).toEqual([]);
  });

  test('reports a new invalid value and a removed required value', () => {
    expect(of(pair, { a: 'new', b: 1 }, { x: { a: 'old', b: 1 } }).map(({ field }) => field)).toEqual(['spec.x.a']);
    expect(of(pair, { b: 1 }, { x: { a: 1, b: 1 } })).toEqual([fault('Required', 'spec.x.a', 'Required value')]);
  });

  test('reports everything if the old value was absent or of another type', () => {
    for (const x of [undefined, null, 'text', []]) {
      expect(of(pair, { a: '', b: '' }, { x })).toHaveLength(2);
    }
  });
});

describe('with too many faults', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);

  test('reports the first ones, and that there are more', () => {
    const faults = of(z.array(z.int()), many);
    expect(faults).toHaveLength(MAX_FAULTS);
    expect(faults.at(-2)?.field).toBe(`spec.x[${MAX_FAULTS - 2}]`);
    expect(faults.at(-1)).toEqual(invalid('spec', '"object": too many errors to show all of them'));
  });

  test('reports all faults up to the limit', () => {
    expect(of(z.array(z.int()), many.slice(0, MAX_FAULTS)).at(-1)?.field).toBe(`spec.x[${MAX_FAULTS - 1}]`);
  });

  test('does not overflow the stack, call rules on invalid values, or read a list that is too long', () => {
    const old = { x: [...many, 'more'] };
    const list = z.array(z.int()).refine(() => true, 'own');
    expect(of(list, many, old)).toEqual([]);
    expect(of(z.array(z.int()).max(9), many)).toHaveLength(1);
    expect(of(z.record(z.string(), z.int()), Object.fromEntries(many.map((name) => [name, ''])))).toHaveLength(
      MAX_FAULTS,
    );
  });
});
