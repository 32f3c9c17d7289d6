import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { conditions } from '../schema/conditions.ts';
import { defineKind } from '../schema/define-kind.ts';
import { apiRule, int32, kubernetesSchema } from '../schema/field-types.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { Website as VersionedWebsite } from '../test-support/websites.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

const names = { group: 'example.com', version: 'v1', kind: 'Website' } as const;

test('contains all fields of the definition', () => {
  const Website = defineKind({
    ...names,
    shortNames: ['ws'],
    categories: ['all'],
    description: 'A website.',
    printerColumns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }],
    rules: [{ rule: 'self.spec.image != self.metadata.name', message: 'must differ' }],
    name: { maxLength: 50, message: 'must be short' },
    spec: z.strictObject({ image: z.string().max(253), replicas: int32().min(0).max(10).default(1) }).describe('Spec.'),
    status: z.strictObject({ conditions: conditions('Ready or not.') }).describe('Status.'),
  });
  const { metadata, spec } = customResourceDefinition(Website);
  expect(metadata).toEqual({ name: 'websites.example.com' });
  expect(spec).toMatchObject({
    group: 'example.com',
    names: {
      kind: 'Website',
      listKind: 'WebsiteList',
      plural: 'websites',
      singular: 'website',
      shortNames: ['ws'],
      categories: ['all'],
    },
    scope: 'Namespaced',
  });
  const [{ schema, ...version }] = spec.versions;
  expect(version).toEqual({
    name: 'v1',
    served: true,
    storage: true,
    additionalPrinterColumns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }],
    subresources: { status: {} },
  });
  expect(schema.openAPIV3Schema).toMatchObject({
    description: 'A website.',
    required: ['spec'],
    properties: {
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: {
        type: 'object',
        description: 'Spec.',
        required: ['image'],
        properties: {
          image: { type: 'string', maxLength: 253 },
          replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
        },
      },
      status: {
        description: 'Status.',
        properties: {
          conditions: {
            description: 'Ready or not.',
            items: { properties: { type: { description: 'Type of the condition, as one CamelCase word.' } } },
          },
        },
      },
    },
    'x-kubernetes-validations': [
      {
        rule: 'oldSelf.hasValue() || self.metadata.name.size() <= 50',
        optionalOldSelf: true,
        message: 'must be short',
        fieldPath: '.metadata.name',
      },
      { rule: 'self.spec.image != self.metadata.name', message: 'must differ' },
    ],
  });
});

test('omits absent fields', () => {
  const Region = defineKind({ ...names, kind: 'Region', scope: 'Cluster', spec: z.object({}) });
  const { scope, names: given, versions } = customResourceDefinition(Region).spec;
  expect(scope).toBe('Cluster');
  expect(Object.keys(given).toSorted()).toEqual(['kind', 'listKind', 'plural', 'singular']);
  expect('subresources' in versions[0]).toBe(false);
  const { properties = {}, 'x-kubernetes-validations': rules } = versions[0].schema.openAPIV3Schema;
  expect(Object.keys(properties)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  expect(rules).toBeUndefined();
});

describe('a kind with several versions', () => {
  const { conversion, versions } = customResourceDefinition(VersionedWebsite).spec;

  test('has all versions with their warnings, and stores the hub', () => {
    expect(versions).toMatchObject([
      { name: 'v1', served: true, storage: true, subresources: { status: {} } },
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v1',
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Age' }],
        schema: { openAPIV3Schema: { properties: { spec: { properties: { size: { default: 'small' } } } } } },
      },
    ]);
    expect(versions[0]).not.toHaveProperty('deprecated');
  });

  test('stores the version of its definition', () => {
    const { v1alpha1 } = VersionedWebsite.versions;
    const kind = { ...VersionedWebsite, versions: { v1alpha1: { ...v1alpha1, storage: true, served: false } } };
    expect(customResourceDefinition(kind).spec.versions).toMatchObject([
      { name: 'v1', storage: false },
      { name: 'v1alpha1', storage: true, served: false },
    ]);
  });

  test.each([
    [undefined, { service: { name: 'webhook-service', namespace: 'system', path: '/convert' } }],
    [{ service: { name: 'a', namespace: 'b' } }, { service: { name: 'a', namespace: 'b', path: '/convert' } }],
    [
      { url: 'https://127.0.0.1:9443', caBundle: 'PEM' },
      { url: 'https://127.0.0.1:9443/convert', caBundle: 'UEVN' },
    ],
  ])('is converted by the webhook at %j', (server, clientConfig) => {
    expect(customResourceDefinition(VersionedWebsite, {}, server).spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: ['v1'] },
    });
    expect(conversion?.strategy).toBe('Webhook');
  });

  test('has no conversion with one version', () => {
    const { versions: _, ...kind } = VersionedWebsite;
    expect(customResourceDefinition({ ...kind, versions: {} }).spec).not.toHaveProperty('conversion');
  });
});

test('rejects an invalid schema, with the field', () => {
  const Website = defineKind({ ...names, spec: z.object({ size: z.union([z.string(), z.object({})]) }) });
  expect(() => customResourceDefinition(Website)).toThrow(
    'the CRD of Website v1 is not structural:\nspec.size: type is missing: a CRD has no such union',
  );
});

describe('scale and selectableFields', () => {
  const spec = z.object({ color: z.string(), replicas: int32(), tags: z.array(z.string()) });
  const status = z.object({ replicas: int32().optional(), selector: z.string().optional() });
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };

  test('are in the CRD of each version that has them', () => {
    const Fleet = defineKind({ ...names, spec, status, scale, selectableFields: ['.spec.color'] })
      .withVersion({ version: 'v1alpha1', spec })
      .withConversion({ toHub: (object) => object, fromHub: (object) => object });
    const [hub, version] = customResourceDefinition(Fleet).spec.versions;
    expect(hub).toMatchObject({
      subresources: { status: {}, scale },
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    expect(version).toMatchObject({ name: 'v1alpha1', subresources: { status: {} } });
    expect(version).not.toHaveProperty('selectableFields');
    expect(version?.subresources).not.toHaveProperty('scale');
  });

  test('are refused with each wrong path', () => {
    const Fleet = defineKind({
      ...names,
      spec,
      scale: {
        specReplicasPath: '.status.replicas',
        statusReplicasPath: '.status.size',
        labelSelectorPath: 'selector',
      },
      selectableFields: ['.spec.tags', '.metadata.name', ...Array(7).fill('.spec.color')],
    });
    expect(() => customResourceDefinition(Fleet)).toThrow(
      [
        'an API server would refuse the CRD of Website v1:',
        'scale.specReplicasPath: .status.replicas must be the path of a field of type integer below .spec',
        'scale.statusReplicasPath: .status.size must be the path of a field of type integer below .status',
        'scale.labelSelectorPath: selector must be the path of a field of type string below .spec or .status',
        'selectableFields: .spec.tags must be the path of a string, boolean or integer field, such as .spec.color',
        'selectableFields: .metadata.name must be the path of a string, boolean or integer field, such as .spec.color',
        'selectableFields: must have at most 8 paths, not 9',
      ].join('\n'),
    );
  });
});

describe('a built-in type', () => {
  const POD = 'io.k8s.api.core.v1.PodSpec';
  const isEmpty = { rule: 'self == ""', message: 'must be empty', isValid: (value: string) => value === '' };
  const podSpec: StructuralSchema = {
    type: 'object',
    required: ['image'],
    properties: { image: { type: 'string' }, host: { type: 'string' } },
  };
  const Website = defineKind({
    ...names,
    spec: z.object({
      pod: kubernetesSchema<{ image: string }>(
        POD,
        z.looseObject({ host: apiRule(z.string(), isEmpty).optional() }),
      ).describe('The pod.'),
    }),
  });
  const getSpec = (schemas: Record<string, StructuralSchema>) =>
    customResourceDefinition(Website, schemas).spec.versions[0].schema.openAPIV3Schema.properties?.['spec'];

  test("has the API server's schema, with its own description and the rules on its fields", () => {
    expect(getSpec({ [POD]: podSpec })).toEqual({
      type: 'object',
      required: ['pod'],
      properties: {
        pod: {
          ...podSpec,
          description: 'The pod.',
          properties: {
            image: { type: 'string' },
            host: {
              type: 'string',
              nullable: true,
              'x-kubernetes-validations': [{ rule: 'self == ""', message: 'must be empty' }],
            },
          },
        },
      },
    });
  });

  test('must be passed to the generator', () => {
    expect(() => getSpec({})).toThrow(
      `there is no Kubernetes schema ${POD}; fetch it with fetch-schemas, and set kubernetesSchemas`,
    );
  });

  test('must have the fields of the rules', () => {
    const { host: _, ...properties } = podSpec.properties ?? {};
    expect(() => getSpec({ [POD]: { ...podSpec, properties } })).toThrow(
      'there is a rule on host, but the Kubernetes schema has no such field',
    );
  });
});
