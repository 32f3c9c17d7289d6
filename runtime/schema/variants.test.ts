import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineKind } from './define-kind.ts';
import { apiRule } from './field-types.ts';

const path = z.object({
  kind: z.literal('Disk'),
  path: z.string().max(5),
  limits: z.object({ a: z.int().default(1) }).optional(),
});
const size = apiRule(z.object({ kind: z.literal('Memory'), min: z.int(), max: z.int() }), {
  rule: 'self.min <= self.max',
  message: 'min must not be greater than max',
  isValid: ({ min, max }) => min <= max,
});
const Volume = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Volume',
  spec: z.object({ stores: z.array(z.discriminatedUnion('kind', [path, size])) }),
});
const toObject = (...stores: readonly object[]) => ({ metadata: { name: 'a' }, spec: { stores } });
const findFaults = (store: object, old?: object) =>
  Volume.schema.faults(toObject(store), old && toObject(old)).map(({ field, message }) => `${field}: ${message}`);

test.each([
  [{ kind: 'Disk', path: '/a' }, []],
  [{ kind: 'Disk', path: '/abcdef' }, ['spec.stores[0].path: Too long: may not be more than 5 bytes']],
  [{ kind: 'Disk' }, ['spec.stores[0].path: Required value']],
  [{ kind: 'Memory', min: 2, max: 1 }, ['spec.stores[0]: Invalid value: "object": min must not be greater than max']],
  [{ kind: 'Tape' }, ['spec.stores[0].kind: Unsupported value: "Tape": supported values: "Disk", "Memory"']],
  [{ path: '/a' }, ['spec.stores[0].kind: Required value: supported values: "Disk", "Memory"']],
  ['Disk', ['spec.stores[0]: Invalid value: "Disk": must be of type object']],
])('faults of %j', (store, want) => {
  expect(findFaults(store as object)).toEqual(want);
});

test('an update may keep a fault, and may change the variant', () => {
  const old = { kind: 'Disk', path: '/abcdef' };
  expect(findFaults({ ...old, limits: {} }, old)).toEqual([]);
  expect(findFaults({ kind: 'Memory', min: 2, max: 1 }, old)).toHaveLength(1);
});

test('defaults of the variant are set', () => {
  const object = toObject({ kind: 'Disk', path: '/a', limits: {} }, { kind: 'Memory', min: 1, max: 2, limits: {} });
  expect(Volume.schema.withDefaults(object).spec.stores).toEqual([
    { kind: 'Disk', path: '/a', limits: { a: 1 } },
    { kind: 'Memory', min: 1, max: 2, limits: {} },
  ]);
});
