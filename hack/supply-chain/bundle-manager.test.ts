import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type Bundle, bundleManager } from './bundle-manager.ts';
import { findLicenceProblems } from './licences.ts';
import { findSbomProblems } from './sbom.ts';

let built: Bundle;
beforeAll(async () => {
  built = await bundleManager();
}, 60_000);

test('every bundled package has an allowed licence, and its text is included', () => {
  expect(built.packages.length).toBeGreaterThan(20);
  expect(findLicenceProblems(built.packages)).toEqual([]);
  for (const { name, version, texts } of built.packages) {
    expect(built.licences).toContain(`\n${name} ${version}\n`);
    for (const { text } of texts) expect(built.licences).toContain(text);
  }
});

test('includes the licence of copied code in a package', () => {
  const undici = built.packages.find(({ name }) => name === 'undici');
  expect(undici?.texts.map(({ path }) => path)).toContain('lib/web/fetch/LICENSE');
});

test('the SBOM is valid, lists every bundled package, and has the hash of the bundle', async () => {
  expect(await findSbomProblems(built.sbom, built.packages)).toEqual([]);
  const { metadata, components, dependencies } = JSON.parse(built.sbom);
  expect(metadata.component.hashes[0].content).toBe(createHash('sha256').update(built.code).digest('hex'));
  expect(components).toContainEqual(
    expect.objectContaining({ name: 'node', cpe: expect.stringMatching(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:/) }),
  );
  expect(components).toContainEqual(expect.objectContaining({ name: 'undici', licenses: [{ expression: 'MIT' }] }));
  const [manager, node] = dependencies;
  expect(manager.dependsOn).toEqual(expect.arrayContaining([node.ref, expect.stringMatching(/^pkg:npm\/rolldown@/)]));
});

test('reports a missing package, a schema violation and an address in an SBOM', async () => {
  const broken = built.sbom
    .replace('"type": "platform"', '"type": "http://x"')
    .replace('"purl": "pkg:npm/undici@', '"purl": "');
  expect(await findSbomProblems(broken, built.packages)).toEqual([
    expect.stringContaining('violates the CycloneDX schema'),
    'the SBOM contains an address: http://x',
    expect.stringMatching(/^undici@\S+ is bundled but missing in the SBOM$/),
  ]);
});

test('contains no package that only tests and tools use', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = built.packages.map(({ name }) => name);
  // rolldown adds the helpers in each bundle.
  expect(Object.keys(devDependencies).filter((name) => names.includes(name))).toEqual(['rolldown']);
});

test('an older Node can load the bundle and reaches the check of its version', () => {
  expect(built.code.match(/^import .*/gm)).toEqual(['import { createRequire } from "node:module";']);
  expect(built.code).toMatch(/^#!.*\n\(function \(n\) .*manager needs Node/);
});

test('a second build has the same bundle, licences and SBOM', async () => {
  expect(await bundleManager()).toEqual(built);
});
