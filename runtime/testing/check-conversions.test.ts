import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { conditions } from '../schema/conditions.ts';
import { defineKind } from '../schema/define-kind.ts';
import { int32, int64, intOrString, kubernetesSchema, time } from '../schema/field-types.ts';
import { cronSchedule, duration, quantity } from '../schema/value-types.ts';
import { Website } from '../test-support/websites.ts';
import { checkConversions } from './check-conversions.ts';

const names = { group: 'example.com', version: 'v1', kind: 'Thing' } as const;

/** Fields of all types that a CRD supports. */
const fields = {
  text: z.string().min(2).max(9),
  name: z.string().regex(/^[a-z]+-[0-9]{2}$/),
  color: z.enum(['red', 'green']).default('red'),
  count: int32().min(3).max(5),
  large: int64().optional(),
  even: z.number().multipleOf(2).positive(),
  share: z.number().min(0).max(1),
  isOn: z.boolean().optional(),
  since: time().optional(),
  port: intOrString(),
  note: z.string().nullable(),
  list: z
    .array(z.object({ name: z.string() }))
    .min(1)
    .meta({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
  map: z.record(z.string(), z.number()),
  any: z.unknown(),
  loose: z.looseObject({ known: z.string().optional() }),
  pod: kubernetesSchema<object>('io.k8s.api.core.v1.PodSpec'),
};

const Thing = defineKind({ ...names, spec: z.object(fields), status: z.object({ conditions: conditions() }) });

describe('conversions', () => {
  test('that copy every sort of field lose nothing', async () => {
    const Copied = Thing.withVersion({ version: 'v2', spec: z.object({ all: z.object(fields) }) }).withConversion({
      toHub: ({ spec }) => ({ spec: spec.all }),
      fromHub: ({ spec }) => ({ spec: { all: spec } }),
    });
    await checkConversions(Copied);
  });

  const define = (toCount: (size: number) => number, toSize: (count: number) => number) =>
    defineKind({ ...names, spec: z.object({ count: int32().min(0).max(100) }) })
      .withVersion({ version: 'v2', spec: z.object({ size: int32().min(0).max(100) }) })
      .withConversion({
        toHub: ({ spec }) => ({ spec: { count: toCount(spec.size) } }),
        fromHub: ({ spec }) => ({ spec: { size: toSize(spec.count) } }),
      });
  const same = (value: number) => value;
  test.each([
    [
      'lose a value of the version',
      define((size) => Math.min(size, 50), same),
      'v2 → v1 → v2: spec.size: 51 became 50',
    ],
    ['lose a value of the hub', define(same, (count) => Math.min(count, 7)), 'v2 → v1 → v2: spec.size: 8 became 7'],
    [
      'return an invalid object',
      define(
        (size) => size + 101,
        (count) => count - 101,
      ),
      'v2 → v1 → v2: the object is not valid in v1: spec.count: Invalid value: 101',
    ],
    [
      'throw',
      define((size) => {
        if (size > 9) throw new Error('too large');
        return size;
      }, same),
      'v2 → v1 → v2: convert Thing default/generated from v2 to v1: too large\nobject: {"spec":{"size":10}',
    ],
  ])('that %s are reported with the smallest object', async (_, kind, message) => {
    await expect(checkConversions(kind)).rejects.toThrow(`Thing ${message}`);
  });

  test('that change their input are reported, although the result is the same object', async () => {
    const Limited = defineKind({ ...names, spec: z.object({ count: int32().min(0).max(9) }) })
      .withVersion({ version: 'v2', spec: z.object({ count: int32().min(0).max(9) }) })
      .withConversion({
        toHub: ({ spec }) => ({ spec: Object.assign(spec, { count: Math.min(spec.count, 5) }) }),
        fromHub: ({ spec }) => ({ spec }),
      });
    await expect(checkConversions(Limited)).rejects.toThrow('Thing v2 → v1 → v2: spec.count: 6 became 5');
  });

  test('that forget a default are reported', async () => {
    const Forgetful = defineKind({ ...names, spec: z.object({ count: int32().default(3) }) })
      .withVersion({ version: 'v2', spec: z.object({}) })
      .withConversion({ toHub: () => ({ spec: {} as { count: number } }), fromHub: () => ({ spec: {} }) });
    await expect(checkConversions(Forgetful)).rejects.toThrow(
      'Thing v2 → v1 → v2: v1 lacks a default: spec.count: no value became 3',
    );
  });

  test('that keep in an annotation what a version cannot express lose nothing', async () => {
    await checkConversions(Website);
  });

  test('that lose a value of the hub only are reported, and the seed repeats the check', async () => {
    const Sized = defineKind({ ...names, spec: z.object({ count: int32().min(1).max(3) }) })
      .withVersion({ version: 'v2', spec: z.object({ size: z.enum(['small', 'large']) }) })
      .withConversion({
        toHub: ({ spec }) => ({ spec: { count: spec.size === 'small' ? 1 : 3 } }),
        fromHub: ({ spec }) => ({ spec: { size: spec.count < 3 ? 'small' : 'large' } }),
      });
    const fail = (seed?: number) => checkConversions(Sized, { objects: 500, ...(seed && { seed }) }).catch(String);
    const message = await fail();
    expect(message).toMatch(/^Error: Thing v1 → v2 → v1: spec\.count: 2 became 1\nobject: {"spec":{"count":2}}\nseed/);
    expect(await fail(Number(/seed: (-?\d+)/.exec(message ?? '')?.[1]))).toBe(message);
  });
});

describe('fields that cannot be generated', () => {
  const palindrome = z.string().refine((text) => text.length > 5 && text === [...text].toReversed().join(''));
  const Word = defineKind({ ...names, spec: z.object({ word: palindrome }) })
    .withVersion({ version: 'v2', spec: z.object({ words: z.array(z.object({ word: palindrome })).min(1) }) })
    .withConversion({
      toHub: ({ spec }) => ({ spec: { word: spec.words[0]?.word ?? '' } }),
      fromHub: ({ spec }) => ({ spec: { words: [spec] } }),
    });

  test('are named', async () => {
    await expect(checkConversions(Word)).rejects.toThrow(
      /objects of Thing v2 were invalid; set `values` for these fields: spec\.words\[0\]\.word: /,
    );
  });

  test('have the values of the options', async () => {
    const values = { v1: { 'spec.word': ['racecar', 'rotator'] }, v2: { 'spec.words[].word': ['racecar'] } };
    await expect(checkConversions(Word, { values })).rejects.toThrow('Thing v2 → v1 → v2: spec.words: ');
    const oneWord = { ...values, v2: { 'spec.words': [[{ word: 'racecar' }]] } };
    await checkConversions(Word, { values: oneWord });
  });

  const text = palindrome;
  test.each<[fields: string, path: string, spec: z.ZodObject]>([
    ['an optional field', 'spec.text', z.object({ text: text.optional() })],
    ['a field with a default', 'spec.text', z.object({ text: text.default('racecar') })],
    ['a nullable field', 'spec.text', z.object({ text: text.nullable() })],
    ['a field in an optional object', 'spec.part.text', z.object({ part: z.object({ text }).optional() })],
    ['an element of a list', 'spec.parts[].text', z.object({ parts: z.array(z.object({ text })) })],
    ['an element of a set', 'spec.texts[]', z.object({ texts: z.array(text) })],
    ['a value of a map', 'spec.map[].text', z.object({ map: z.record(z.string(), z.object({ text })) })],
    [
      'a whole object',
      'spec.part',
      z.object({
        part: z
          .object({})
          .refine(() => false)
          .optional(),
      }),
    ],
    [
      'a field of a variant',
      'spec.choice.text',
      z.object({
        choice: z.discriminatedUnion('type', [
          z.object({ type: z.literal('a'), text }),
          z.object({ type: z.literal('b') }),
        ]),
      }),
    ],
  ])('are named if no generated object contains %s', async (_, path, spec) => {
    const Optional = defineKind({ ...names, spec })
      .withVersion({ version: 'v2', spec })
      .withConversion({ toHub: (object) => object, fromHub: (object) => object });
    await expect(checkConversions(Optional)).rejects.toThrow(
      `no valid object of Thing v2 was generated with some fields; set \`values\` for these fields: ${path}: `,
    );
  });

  test('are not needed for schedules, quantities and durations', async () => {
    const parse = (text: string) =>
      text.split(' ').length === 5 ? ({ kind: 'ok' } as const) : ({ kind: 'invalid', message: 'five fields' } as const);
    const spec = z.object({
      schedule: cronSchedule(parse).describe('When.').optional(),
      size: quantity(),
      timeouts: z.array(duration().describe('How long.')),
    });
    const Copied = defineKind({ ...names, spec }).withVersion({ version: 'v2', spec });
    await checkConversions(Copied.withConversion({ toHub: (object) => object, fromHub: (object) => object }));
    const lossy = Copied.withConversion({
      toHub: ({ spec: { schedule: _, ...spec } }) => ({ spec }),
      fromHub: (object) => object,
    });
    await expect(checkConversions(lossy)).rejects.toThrow(/spec.schedule: "[^"]+" became no value/);
  });

  test.each([
    ['version', 'Word has no version v9', { v9: { 'spec.word': ['racecar'] } }],
    ['field', 'Word v1 has no field spec.wrod, status', { v1: { 'spec.wrod': ['racecar'], status: [{}] } }],
  ])('an unknown %s in `values` is refused', async (_, message, values) => {
    await expect(checkConversions(Word, { values })).rejects.toThrow(`values: ${message.replaceAll('Word', 'Thing')}`);
  });
});
