import { expect, test } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { structuralFaults } from './structural-faults.ts';

const named: StructuralSchema = { type: 'object', properties: { name: { type: 'string' } } };

const cases: readonly { name: string; given: unknown; want: readonly string[] }[] = [
  { name: 'finds nothing in a structural schema', given: { ...named, required: ['name'] }, want: [] },
  {
    name: 'takes an int-or-string without a type',
    given: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    want: [],
  },
  {
    name: 'names keys that a CRD may not have',
    given: { type: 'object', properties: { a: { type: 'string', $ref: '#/x' } } },
    want: ['a: $ref is not allowed in a CRD'],
  },
  { name: 'misses a type', given: {}, want: ['the root: type is missing'] },
  {
    name: 'takes anything where anything is kept',
    given: { 'x-kubernetes-preserve-unknown-fields': true },
    want: [],
  },
  {
    name: 'says why a union has no type',
    given: { oneOf: [{ type: 'object' }] },
    want: [
      'the root: oneOf is not allowed in a CRD',
      'the root: type is missing: a CRD has no unions; use one object whose fields are optional, an enum, or intOrString()',
    ],
  },
  {
    name: 'refuses patterns that Go cannot read',
    given: { type: 'string', pattern: '^(?!a)', allOf: [{ pattern: 'b' }, { pattern: '(.)\\1' }] },
    want: ['^(?!a)', '(.)\\1'].map(
      (pattern) =>
        `the root: pattern ${pattern} uses what Go's regular expressions cannot do: (?=, (?!, (?<=, (?<! or \\1`,
    ),
  },
  {
    name: 'refuses a type on an int-or-string',
    given: { type: 'string', 'x-kubernetes-int-or-string': true },
    want: ['the root: type must not stand beside x-kubernetes-int-or-string'],
  },
  {
    name: 'misses the elements of a list',
    given: { type: 'object', properties: { list: { type: 'array' } } },
    want: ['list: items is missing'],
  },
  {
    name: 'refuses a map that is an object too',
    given: { ...named, additionalProperties: { type: 'string' } },
    want: ['the root: additionalProperties must not stand beside properties'],
  },
  {
    name: 'wants list map keys to be there',
    given: {
      type: 'object',
      properties: { list: { type: 'array', 'x-kubernetes-list-map-keys': ['name'], items: named } },
    },
    want: ['list[].name: a list map key must be required or have a default'],
  },
  {
    name: 'takes a list map key that has a default',
    given: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string', default: '' } } },
    },
    want: [],
  },
  {
    name: 'looks into lists and maps',
    given: { type: 'array', items: { type: 'object', additionalProperties: { format: 'x' } } },
    want: ['[].*: type is missing'],
  },
];

test.each(cases)('$name', ({ given, want }) => {
  expect(structuralFaults(given as StructuralSchema)).toEqual(want);
});
