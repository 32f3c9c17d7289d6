import { expect, test } from 'vitest';
import { APIMACHINERY_SCHEMAS } from './apimachinery-schemas.ts';
import { type OpenApiSchema, structuralFromOpenApi } from './structural-from-openapi.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function convert(root: OpenApiSchema, others: Readonly<Record<string, OpenApiSchema>> = {}) {
  return structuralFromOpenApi({ root, ...others }, 'root');
}

test('resolves references, alone or with a default', () => {
  const root: OpenApiSchema = {
    type: 'object',
    properties: { alone: ref('leaf'), beside: { default: {}, allOf: [ref('leaf')] } },
    additionalProperties: ref('leaf'),
  };
  expect(convert(root, { leaf: { type: 'string' } })).toEqual({
    type: 'object',
    properties: { alone: { type: 'string' }, beside: { type: 'string' } },
    additionalProperties: { type: 'string' },
  });
});

test('drops descriptions, enums and keys that only clients read', () => {
  const given = {
    type: 'string',
    description: 'A word.',
    enum: ['a'],
    'x-kubernetes-patch-strategy': 'merge',
  } as const;
  expect(convert(given)).toEqual({ type: 'string' });
});

test('keeps the keys that server-side apply needs', () => {
  const given: OpenApiSchema = {
    type: 'array',
    items: { type: 'object', required: ['name'], properties: { name: { type: 'string', default: '' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };
  expect(convert(given)).toEqual({
    ...given,
    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  });
});

test("keeps defaults of optional scalars and elements, and drops Go's other zero values", () => {
  const given: OpenApiSchema = {
    type: 'object',
    required: ['key'],
    properties: {
      key: { type: 'string', default: '' },
      protocol: { type: 'string', default: 'TCP' },
      resources: { type: 'object', default: {} },
      args: { type: 'array', items: { type: 'string', default: '' } },
    },
  };
  expect(convert(given)).toEqual({
    type: 'object',
    required: ['key'],
    properties: {
      key: { type: 'string' },
      protocol: { type: 'string', default: 'TCP' },
      resources: { type: 'object' },
      args: { type: 'array', items: { type: 'string', default: '' } },
    },
  });
});

test('drops an incomplete zero value', () => {
  const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;
  expect(convert({ type: 'array', items: { default: {}, allOf: [ref('item')] } }, { item }).items).toEqual(item);
});

test('adds the zero value of a quantity', () => {
  const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
  expect(convert({ type: 'object', additionalProperties: ref(quantity) }).additionalProperties?.default).toBe('0');
});

test.each(Object.keys(APIMACHINERY_SCHEMAS))('converts %s to the form of a CRD', (name) => {
  expect(convert({ type: 'object', properties: { a: ref(name) } }).properties?.['a']).toEqual(
    APIMACHINERY_SCHEMAS[name],
  );
});

test('throws for a recursive schema', () => {
  expect(() => convert({ type: 'array', items: ref('root') })).toThrow('schema root is recursive');
});

test('throws for an unknown name', () => {
  expect(() => convert(ref('absent'))).toThrow('no schema called absent');
});
