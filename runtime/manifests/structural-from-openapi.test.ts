import { expect, test } from 'vitest';
import { APIMACHINERY_SCHEMAS } from './apimachinery-schemas.ts';
import { type OpenApiSchema, structuralFromOpenApi } from './structural-from-openapi.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function convert(root: OpenApiSchema, others: Readonly<Record<string, OpenApiSchema>> = {}) {
  return structuralFromOpenApi({ root, ...others }, 'root');
}

test('puts references in place, alone or beside a default', () => {
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

test('leaves out descriptions, enums and keys that only clients read', () => {
  const given = {
    type: 'string',
    description: 'A word.',
    enum: ['a'],
    'x-kubernetes-patch-strategy': 'merge',
  } as const;
  expect(convert(given)).toEqual({ type: 'string' });
});

test('keeps what server-side apply needs', () => {
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

test('keeps defaults of optional scalars and of elements, and drops the zero values Go prints elsewhere', () => {
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

test('drops a zero value that is not complete', () => {
  const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;
  expect(convert({ type: 'array', items: { default: {}, allOf: [ref('item')] } }, { item }).items).toEqual(item);
});

test('knows the zero value of a quantity, which OpenAPI does not print', () => {
  const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
  expect(convert({ type: 'object', additionalProperties: ref(quantity) }).additionalProperties?.default).toBe('0');
});

test.each(Object.keys(APIMACHINERY_SCHEMAS))('%s gets the form a CRD needs', (name) => {
  expect(convert({ type: 'object', properties: { a: ref(name) } }).properties?.['a']).toEqual(
    APIMACHINERY_SCHEMAS[name],
  );
});

test('fails on a schema within itself', () => {
  expect(() => convert({ type: 'array', items: ref('root') })).toThrow('schema root contains itself');
});

test('fails on a name the document does not have', () => {
  expect(() => convert(ref('nobody'))).toThrow('no schema called nobody');
});
