import { expect, test } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { structuralFaults } from './structural-faults.ts';

const named: StructuralSchema = { type: 'object', properties: { name: { type: 'string' } } };

const cases: readonly (readonly [name: string, given: unknown, want: readonly string[]])[] = [
  ['finds nothing in a structural schema', { ...named, required: ['name'] }, []],
  [
    'takes an int-or-string without a type',
    { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    [],
  ],
  [
    'names keys that a CRD may not have',
    { type: 'object', properties: { a: { type: 'string', $ref: '#/x' } } },
    ['a: $ref is not allowed in a CRD'],
  ],
  ['misses a type', {}, ['the root: type is missing']],
  ['takes anything where anything is kept', { 'x-kubernetes-preserve-unknown-fields': true }, []],
  [
    'says why a union has no type',
    { oneOf: [{ type: 'object' }] },
    [
      'the root: oneOf is not allowed in a CRD',
      'the root: type is missing: a CRD has no unions; use one object whose fields are optional, an enum, or intOrString()',
    ],
  ],
  [
    'refuses patterns that Go cannot read',
    { type: 'string', pattern: '^(?!a)', allOf: [{ pattern: 'b' }, { pattern: '(.)\\1' }] },
    ['^(?!a)', '(.)\\1'].map(
      (pattern) =>
        `the root: pattern ${pattern} uses what Go's regular expressions cannot do: (?=, (?!, (?<=, (?<! or \\1`,
    ),
  ],
  [
    'refuses a type on an int-or-string',
    { type: 'string', 'x-kubernetes-int-or-string': true },
    ['the root: type must not stand beside x-kubernetes-int-or-string'],
  ],
  [
    'misses the elements of a list',
    { type: 'object', properties: { list: { type: 'array' } } },
    ['list: items is missing'],
  ],
  [
    'refuses a map that is an object too',
    { ...named, additionalProperties: { type: 'string' } },
    ['the root: additionalProperties must not stand beside properties'],
  ],
  [
    'wants list map keys to be there',
    {
      type: 'object',
      properties: { list: { type: 'array', 'x-kubernetes-list-map-keys': ['name'], items: named } },
    },
    ['list[].name: a list map key must be required or have a default'],
  ],
  [
    'takes a list map key that has a default',
    {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string', default: '' } } },
    },
    [],
  ],
  [
    'looks into lists and maps',
    { type: 'array', items: { type: 'object', additionalProperties: { format: 'x' } } },
    ['[].*: type is missing'],
  ],
];

test.each(cases)('%s', (_, given, want) => {
  expect(structuralFaults(given as StructuralSchema)).toEqual(want);
});
