import { expect, test } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { structuralFaults } from './structural-faults.ts';

const text = { type: 'string' } as const;
const named: StructuralSchema = { type: 'object', properties: { name: text } };
const union = { anyOf: [{ type: 'integer' }, { type: 'string' }] };
const isKeyed = { 'x-kubernetes-list-map-keys': ['name'] };
const GO = "uses syntax that Go's regular expressions lack: (?=, (?!, (?<=, (?<! or \\1";

const faultsIn = (given: object) => structuralFaults(given as StructuralSchema);

test.each<[name: string, given: object]>([
  ['a structural schema', { ...named, required: ['name'] }],
  ['an int-or-string without a type', { ...union, 'x-kubernetes-int-or-string': true }],
  ['anything where anything is kept', { 'x-kubernetes-preserve-unknown-fields': true }],
  [
    'a list map key that has a default',
    { type: 'array', ...isKeyed, items: { ...named, properties: { name: { ...text, default: '' } } } },
  ],
])('accepts %s', (_, given) => {
  expect(faultsIn(given)).toEqual([]);
});

test.each<[faults: readonly string[], given: object]>([
  [['the root: type is missing'], {}],
  [['a: $ref is not allowed in a CRD'], { type: 'object', properties: { a: { ...text, $ref: '#/x' } } }],
  [
    [
      'the root: oneOf is not allowed in a CRD',
      'the root: type is missing: a CRD has no such union; use z.discriminatedUnion(), optional fields, an enum, or intOrString()',
    ],
    { oneOf: [{ type: 'object' }] },
  ],
  [
    [`the root: pattern ^(?!a) ${GO}`, `the root: pattern (.)\\1 ${GO}`],
    { ...text, pattern: '^(?!a)', allOf: [{ pattern: 'b' }, { pattern: '(.)\\1' }] },
  ],
  [
    ['the root: type cannot be combined with x-kubernetes-int-or-string'],
    { ...text, 'x-kubernetes-int-or-string': true },
  ],
  [['list: items is missing'], { type: 'object', properties: { list: { type: 'array' } } }],
  [['the root: additionalProperties cannot be combined with properties'], { ...named, additionalProperties: text }],
  [
    ['list[].name: a list map key must be required or have a default'],
    { type: 'object', properties: { list: { type: 'array', ...isKeyed, items: named } } },
  ],
  [['[].*: type is missing'], { type: 'array', items: { type: 'object', additionalProperties: { format: 'x' } } }],
])('reports %j', (faults, given) => {
  expect(faultsIn(given)).toEqual(faults);
});
