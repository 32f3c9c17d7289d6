import { expect, test } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { withNullableFields } from './nullable-fields.ts';

const text: StructuralSchema = { type: 'string' };
const list = (listType: 'atomic' | 'map' | 'set' | undefined, items = text): StructuralSchema => ({
  type: 'array',
  items,
  ...(listType && { 'x-kubernetes-list-type': listType }),
});
const object = (properties: Record<string, StructuralSchema>, mapType?: 'atomic'): StructuralSchema => ({
  type: 'object',
  properties,
  ...(mapType && { 'x-kubernetes-map-type': mapType }),
});

/** Names of the nullable fields. */
function nullableIn(schema: StructuralSchema): readonly string[] {
  return Object.entries(withNullableFields(schema).properties ?? {}).flatMap(([name, field]) => [
    ...(field.nullable ? [name] : []),
    ...nullableBelow(name, field),
    ...nullableBelow(`${name}[]`, field.items ?? {}),
  ]);
}

function nullableBelow(path: string, { properties = {} }: StructuralSchema): readonly string[] {
  return Object.entries(properties).flatMap(([name, { nullable }]) => (nullable ? [`${path}.${name}`] : []));
}

test('marks an optional field without a default as nullable', () => {
  const schema = { ...object({ a: text, b: text, c: { ...text, default: 'x' } }), required: ['a'] };
  expect(nullableIn(schema)).toEqual(['b']);
});

test('does not mark a field with an enum', () => {
  expect(nullableIn(object({ a: { ...text, enum: ['x'] } }))).toEqual([]);
});

test('marks a field that server-side apply replaces as a whole', () => {
  const fields = { unsaid: list(undefined), atomic: list('atomic'), whole: object({}, 'atomic'), open: {} };
  expect(nullableIn(object(fields))).toEqual(['unsaid', 'atomic', 'whole', 'open']);
});

test('does not mark a merged field, but marks its atomic fields', () => {
  const fields = { set: list('set'), map: list('map', object({ a: text })), object: object({ a: text }) };
  expect(nullableIn(object(fields))).toEqual(['map[].a', 'object.a']);
});

test('marks every field of an atomic value, but not elements', () => {
  const whole = object({ inner: object({ a: text }), set: list('set') }, 'atomic');
  expect(nullableIn(object({ whole }))).toEqual(['whole', 'whole.inner', 'whole.set']);
  expect(withNullableFields(list('atomic', text)).items).toEqual(text);
});
