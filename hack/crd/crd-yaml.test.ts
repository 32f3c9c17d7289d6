import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { crdYaml } from './crd-yaml.ts';
import { cronJobCrd } from './cronjob-crd.ts';

const crd = cronJobCrd({ type: 'object', properties: { on: { type: 'string', enum: ['y', 'True'] } } });
const yaml = crdYaml(crd, 'v1.2.3');

test('says from which Kubernetes the schema of the Job is', () => {
  expect(yaml.split('\n')[0]).toContain('Kubernetes v1.2.3');
});

test.each(['1.1', '1.2'] as const)('reads back the same as YAML %s', (version) => {
  expect(parse(yaml, { version })).toEqual(crd);
});

test('does not depend on the order of keys', () => {
  const { kind, apiVersion, ...rest } = crd;
  expect(crdYaml({ ...rest, kind, apiVersion }, 'v1.2.3')).toBe(yaml);
});
