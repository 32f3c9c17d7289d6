import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ParsedLabelSelector } from '../client/label-selector.ts';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import { defineKind } from './define-kind.ts';
import type { ObjectOf } from './kind.ts';
import {
  cronSchedule,
  duration,
  keyReference,
  localObjectReference,
  objectReference,
  objectSelector,
  quantity,
} from './value-types.ts';

const parse = (text: string) =>
  text.split(' ').length === 5
    ? ({ kind: 'ok' } as const)
    : ({ kind: 'invalid', message: 'give five fields' } as const);
const Backup = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  spec: z.object({
    size: quantity(),
    buffer: quantity().optional(),
    timeout: duration().optional(),
    schedule: cronSchedule(parse).optional(),
    databases: objectSelector().optional(),
    password: keyReference().optional(),
    bucket: localObjectReference().optional(),
    target: objectReference().optional(),
  }),
});
const findFaults = (spec: object) => {
  const faults = Backup.schema.faults({ metadata: { name: 'a' }, spec: { size: 1, ...spec } });
  return faults.map(({ field, message }) => `${field}: ${message}`);
};

test.each([
  { size: '1Gi' },
  { size: 5, buffer: '1e3' },
  { timeout: '1h30m' },
  { timeout: '0s' },
  { schedule: '0 * * * *' },
  { databases: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] } },
  { password: { name: 'a', key: 'b' }, bucket: { name: 'a' } },
  { target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
])('%j is valid', (spec) => {
  expect(findFaults(spec)).toEqual([]);
});

test.each([
  [{ size: '1 GB' }, 'spec.size: Invalid value: "1 GB": must be a quantity, such as 500m, 2 or 1Gi'],
  [{ size: {} }, 'spec.size: Invalid value: "object": must be a quantity, such as 500m, 2 or 1Gi'],
  [{ size: undefined }, 'spec.size: Required value'],
  [{ size: 0.5 }, 'spec.size: Invalid value: 0.5: must be a quantity, such as 500m, 2 or 1Gi'],
  [{ buffer: true }, 'spec.buffer: Invalid value: true: must be a quantity, such as 500m, 2 or 1Gi'],
  [{ timeout: '5' }, 'spec.timeout: Invalid value: "5": must be a duration, such as 90s, 5m or 1h30m'],
  [{ timeout: '3000000h' }, 'spec.timeout: Invalid value: "3000000h": must be a duration, such as 90s, 5m or 1h30m'],
  [{ schedule: 'hourly' }, 'spec.schedule: Invalid value: "hourly": give five fields'],
  [{ bucket: {} }, 'spec.bucket.name: Required value'],
])('%j is not valid', (spec, message) => {
  expect(findFaults(spec)).toEqual([message]);
});

describe('in a CRD', () => {
  const { properties = {} } =
    customResourceDefinition(Backup).spec.versions[0].schema.openAPIV3Schema.properties?.['spec'] ?? {};

  test('a quantity has the schema of controller-gen', () => {
    expect(properties['size']).toEqual({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
      pattern: expect.stringMatching(/^\^\(\\\+\|-\)\?/),
    });
  });

  test('a duration has a pattern, and a schedule has a length', () => {
    expect(properties['timeout']).toMatchObject({ type: 'string', maxLength: 64, pattern: expect.any(String) });
    expect(properties['schedule']).toMatchObject({ type: 'string', minLength: 1, maxLength: 253 });
  });
});

test('a selector is the selector of a client', () => {
  const { databases }: ObjectOf<typeof Backup>['spec'] = { size: 1, databases: { matchLabels: { app: 'a' } } };
  expect(String(new ParsedLabelSelector(databases ?? {}))).toBe('app=a');
});
