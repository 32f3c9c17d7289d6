import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import {
  type Certificate,
  certificates,
  certificatesV1alpha2,
  type Rollout,
  rollouts,
  type ServiceMonitor,
  serviceMonitors,
} from '../../test/fixtures/crds/types.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { readDefinitions, writeTypes } from './types-command.ts';
import { formatTypesModule } from './typescript-types.ts';

const FOLDER = join(import.meta.dirname, '../../test/fixtures/crds');
const FILES = ['certificate.yaml', 'rollout.yaml', 'service-monitor.yaml'].map((name) => join(FOLDER, name));

test('writes the module that this test imports, and that the compiler checks', async () => {
  const output = join(createTemporaryFolder(), 'types.ts');
  expect(await writeTypes([...FILES, '--output', output])).toBe(0);
  expect(readFileSync(output, 'utf8'), `node runtime/command.ts types ${FOLDER}/*.yaml --output …/types.ts`).toBe(
    readFileSync(join(FOLDER, 'types.ts'), 'utf8'),
  );
});

test('the types have the fields of the schemas', () => {
  type Endpoint = ServiceMonitor['spec']['endpoints'][number];
  type Canary = NonNullable<NonNullable<NonNullable<Rollout['spec']>['strategy']>['canary']>;
  expectTypeOf<Certificate['metadata']['namespace']>().toEqualTypeOf<string>();
  expectTypeOf<Rollout['metadata']['namespace']>().toEqualTypeOf<undefined>();
  expectTypeOf<Certificate['spec']['secretName']>().toEqualTypeOf<string>();
  expectTypeOf<Certificate['spec']['issuerRef']['kind']>().toEqualTypeOf<'Issuer' | 'ClusterIssuer' | undefined>();
  expectTypeOf<Certificate['spec']['usages']>().toEqualTypeOf<readonly ('server auth' | 'client auth')[] | undefined>();
  expectTypeOf<NonNullable<Certificate['spec']['secretTemplate']>['labels']>().toEqualTypeOf<
    Readonly<Record<string, string>> | undefined
  >();
  expectTypeOf<null>().toExtend<Certificate['spec']['secretTemplate']>();
  expectTypeOf<Endpoint['targetPort']>().toEqualTypeOf<number | string | undefined>();
  expectTypeOf<Endpoint['5xx-limit']>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<ServiceMonitor['spec']['sampleLimits']>().toEqualTypeOf<readonly (number | null)[] | undefined>();
  expectTypeOf<ServiceMonitor['spec']['any']>().toEqualTypeOf<unknown>();
  expectTypeOf<Canary['maxSurge']>().toEqualTypeOf<number | string | null | undefined>();
  expectTypeOf<NonNullable<Canary['steps']>[number]>().toExtend<{ readonly [field: string]: unknown }>();
});

test('each served version has a resource', () => {
  const identity = { group: 'certs.example.com', kind: 'Certificate', plural: 'certificates', isCustomResource: true };
  expect(certificates).toEqual({ ...identity, version: 'v1', namespaced: true });
  expect(certificatesV1alpha2).toEqual({ ...identity, version: 'v1alpha2', namespaced: true });
  expect(rollouts).toMatchObject({ version: 'v1alpha1', namespaced: false });
  expect(serviceMonitors).toMatchObject({ plural: 'service-monitors' });
});

test('rejects files without a definition, older definitions, and two kinds of one name', async () => {
  const file = join(createTemporaryFolder(), 'objects.yaml');
  writeFileSync(file, 'kind: ConfigMap\n');
  await expect(writeTypes([file])).rejects.toThrow(`${file} contains no CustomResourceDefinition`);
  writeFileSync(file, 'kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1\n');
  await expect(writeTypes([file])).rejects.toThrow('is not valid in apiextensions.k8s.io/v1');
  const [first] = readDefinitions(FILES[0]!);
  expect(() => formatTypesModule([first!, first!])).toThrow('two kinds are called Certificate');
});

test.each([
  ['How many.', 'How many. Default: 7.'],
  ['How many. Defaults to 7.', 'How many. Defaults to 7.'],
  ['How many (default: 7).', 'How many (default: 7).'],
])('a description contains the default once: %s', (description, want) => {
  const [{ spec }] = readDefinitions(FILES[1]!) as [{ spec: ReturnType<typeof readDefinitions>[number]['spec'] }];
  const keep = { type: 'integer', default: 7, description } as const;
  const schema = { openAPIV3Schema: { type: 'object', properties: { keep } } } as const;
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  expect(formatTypesModule([{ spec: { ...spec, versions } }])).toContain(`/** ${want} */`);
});

test('descriptions cannot end a comment', () => {
  const [{ spec }] = readDefinitions(FILES[1]!) as [{ spec: ReturnType<typeof readDefinitions>[number]['spec'] }];
  const schema = { openAPIV3Schema: { description: 'a */ b' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  expect(formatTypesModule([{ spec: { ...spec, versions } }])).toContain('/** a *\\/ b */');
});
