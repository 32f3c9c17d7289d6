import type { StructuralSchema } from 'controller-runtime';
import { describe, expect, test } from 'vitest';
import { fieldSections } from './api-reference-fields.ts';

/** What is said of one field `x` with that schema. */
function of(schema: StructuralSchema, required: readonly string[] = []): string {
  return fieldSections('spec', { type: 'object', required, properties: { x: { description: 'An x.', ...schema } } });
}

const facts: readonly { name: string; given: StructuralSchema; want: string }[] = [
  { name: 'its default', given: { type: 'boolean', default: false }, want: '| boolean | `false` |' },
  { name: 'the values it can have', given: { type: 'string', enum: ['A', 'B'] }, want: '| string | `A`, `B` |' },
  { name: 'the size of a number', given: { type: 'integer', format: 'int32' }, want: '| integer, int32 |' },
  { name: 'a lower bound of 0', given: { type: 'integer', minimum: 0 }, want: '| integer | at least 0 |' },
  { name: 'an upper bound', given: { type: 'integer', maximum: 9 }, want: '| integer | at most 9 |' },
  {
    name: 'both bounds',
    given: { type: 'string', minLength: 1, maxLength: 9 },
    want: '| string | 1 to 9 characters |',
  },
  { name: 'a single character', given: { type: 'string', minLength: 1 }, want: '| string | at least 1 character |' },
  { name: 'a pattern', given: { type: 'string', pattern: '^a|b$' }, want: '| string | matches `^a\\|b$` |' },
  { name: 'that it is a time', given: { type: 'string', format: 'date-time' }, want: '| time |' },
  {
    name: 'what a list consists of, and how long it may be',
    given: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    want: '| list of strings | at most 3 elements |',
  },
  {
    name: 'what tells the elements of a list apart',
    given: {
      type: 'array',
      items: { type: 'object', properties: {} },
      'x-kubernetes-list-map-keys': ['type'],
    },
    want: '| list of objects | one for each `type` |',
  },
];

describe('of a field is told', () => {
  test.each(facts)('$name', ({ given, want }) => {
    expect(of(given).replaceAll(/ +/g, ' ')).toContain(`| [x](#specx) ${want}`);
  });

  test('that it is required', () => {
    expect(of({ type: 'string' }, ['x'])).toContain('| string | required |');
  });

  test('what it means, and what else there is to say', () => {
    const schema = { type: 'object', properties: { x: { type: 'string', description: 'An x.' } } } as const;
    expect(fieldSections('spec', schema, { 'spec.x': ['More.'] })).toMatch(/### `spec\.x`\n\nAn x\.\n\nMore\.$/);
  });
});

const inner: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'A name.' },
    at: { type: 'string', format: 'date-time', description: 'A time.' },
  },
};
const INNER = '- `name` (string; required): A name.\n- `at` (time): A time.';

test('an object shows its own fields', () => {
  expect(of(inner)).toContain(`An x.\n\nIt has:\n\n${INNER}`);
});

test('a list of objects shows the fields of an element', () => {
  expect(of({ type: 'array', items: inner })).toContain(`An x.\n\nEach element has:\n\n${INNER}`);
});

test('a field that nobody has described is refused, also within an object', () => {
  const nameless: StructuralSchema = { type: 'object', properties: { y: { type: 'string' } } };
  expect(() => fieldSections('spec', nameless)).toThrow('spec.y has no description');
  expect(() => of(nameless)).toThrow('spec.x.y has no description');
});

test('a note on a field that is not there is refused', () => {
  expect(() => fieldSections('spec', inner, { 'spec.nome': ['Gone.'] })).toThrow('spec.nome');
});
