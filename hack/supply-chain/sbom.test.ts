import { expect, test } from 'vitest';
import type { BundledPackage } from './bundled-packages.ts';
import { type Project, sbom } from './sbom.ts';
import { sbomFaults } from './sbom-faults.ts';

const PROJECT: Project = {
  name: 'operator',
  version: '0.2.0',
  description: 'operates',
  license: 'Apache-2.0',
  dependencies: { a: '1.0.0', 'not-bundled': '1.0.0' },
  devDependencies: { node: '24.1.2' },
};
const A: BundledPackage = { name: 'a', version: '1.0.0', licence: 'MIT', dependencies: ['@b/b', 'x'], texts: [] };
const B: BundledPackage = { name: '@b/b', version: '2.0.0', licence: 'ISC', dependencies: [], texts: [] };

test('lists the program with the hash of its bundle, what is bundled, and Node; and who needs whom', () => {
  const document = JSON.parse(sbom(PROJECT, 'code', [A, B]));
  expect(document.metadata.component).toMatchObject({
    name: 'operator',
    version: '0.2.0',
    licenses: [{ expression: 'Apache-2.0' }],
    // printf code | sha256sum
    hashes: [{ alg: 'SHA-256', content: '5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b' }],
  });
  expect(document.components).toMatchObject([
    { type: 'platform', name: 'node', cpe: 'cpe:2.3:a:nodejs:node.js:24.1.2:*:*:*:*:*:*:*' },
    { type: 'library', group: '@b', name: 'b', purl: 'pkg:npm/%40b/b@2.0.0', licenses: [{ expression: 'ISC' }] },
    { type: 'library', name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0', licenses: [{ expression: 'MIT' }] },
  ]);
  expect(document.dependencies).toEqual([
    { ref: 'operator', dependsOn: ['pkg:generic/node@24.1.2', 'pkg:npm/a@1.0.0'] },
    { ref: 'pkg:generic/node@24.1.2' },
    { ref: 'pkg:npm/%40b/b@2.0.0' },
    { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/%40b/b@2.0.0'] },
  ]);
});

test('has the same bytes each time: no date and no serial number, in whatever order packages come', () => {
  const text = sbom(PROJECT, 'code', [A, B]);
  expect(sbom(PROJECT, 'code', [B, A])).toBe(text);
  expect(JSON.parse(text).serialNumber).toBeUndefined();
  expect(JSON.parse(text).metadata.timestamp).toBeUndefined();
});

test('what is written holds against the schema', async () => {
  expect(await sbomFaults(sbom(PROJECT, 'code', [A, B]), [A, B])).toEqual([]);
});

test('a bundled package that is not listed is a fault', async () => {
  const faults = await sbomFaults(sbom(PROJECT, 'code', [A]), [A, { ...A, version: '1.0.1' }, B]);
  expect(faults).toEqual(['a@1.0.1 is bundled and not in the SBOM', '@b/b@2.0.0 is bundled and not in the SBOM']);
});

test('what breaks the schema is a fault', async () => {
  const faults = await sbomFaults(sbom(PROJECT, 'code', []).replace('"type": "platform"', '"type": "engine"'), []);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain('the SBOM breaks the CycloneDX schema');
});

test('an address, which could be that of the registry that was used, is a fault', async () => {
  const description = 'from https://registry.example/a.tgz';
  expect(await sbomFaults(sbom({ ...PROJECT, description }, 'code', []), [])).toEqual([
    'the SBOM has an address in it: https://registry.example/a.tgz',
  ]);
});
