import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type Bundle, bundle } from './bundle.ts';
import { licenceFaults } from './licences.ts';
import { sbomFaults } from './sbom.ts';

let built: Bundle;
beforeAll(async () => {
  built = await bundle();
}, 60_000);

test('every package that is bundled may be, and its licence comes along', () => {
  expect(built.packages.length).toBeGreaterThan(20);
  expect(licenceFaults(built.packages)).toEqual([]);
  for (const { name, version, texts } of built.packages) {
    expect(built.licences).toContain(`\n${name} ${version}\n`);
    for (const { text } of texts) expect(built.licences).toContain(text);
  }
});

test('parts from elsewhere that a package contains have their licence too', () => {
  const undici = built.packages.find(({ name }) => name === 'undici');
  expect(undici?.texts.map(({ path }) => path)).toContain('lib/web/fetch/LICENSE');
});

test('the SBOM is valid, lists every bundled package, and is of this very bundle', async () => {
  expect(await sbomFaults(built.sbom, built.packages)).toEqual([]);
  const { metadata, components, dependencies } = JSON.parse(built.sbom);
  expect(metadata.component.hashes[0].content).toBe(createHash('sha256').update(built.code).digest('hex'));
  expect(components).toContainEqual(
    expect.objectContaining({ name: 'node', cpe: expect.stringMatching(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:/) }),
  );
  expect(components).toContainEqual(expect.objectContaining({ name: 'undici', licenses: [{ expression: 'MIT' }] }));
  const [ofManager, ofNode] = dependencies;
  expect(ofManager.dependsOn).toEqual(
    expect.arrayContaining([ofNode.ref, expect.stringMatching(/^pkg:npm\/rolldown@/)]),
  );
});

test('an SBOM without a package, beside the schema, or with an address has faults', async () => {
  const broken = built.sbom
    .replace('"type": "platform"', '"type": "http://x"')
    .replace('"purl": "pkg:npm/undici@', '"purl": "');
  expect(await sbomFaults(broken, built.packages)).toEqual([
    expect.stringContaining('breaks the CycloneDX schema'),
    'the SBOM has an address in it: http://x',
    expect.stringMatching(/^undici@\S+ is bundled and not in the SBOM$/),
  ]);
});

test('what only tests and tools use is not in it', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = built.packages.map(({ name }) => name);
  // rolldown adds the helpers in each bundle.
  expect(Object.keys(devDependencies).filter((name) => names.includes(name))).toEqual(['rolldown']);
});

test('an older Node can link it, and gets to the sentence that names the Node it needs', () => {
  expect(built.code.match(/^import .*/gm)).toEqual(['import { createRequire } from "node:module";']);
  expect(built.code).toMatch(/^#!.*\n\(function \(n\) .*manager needs Node/);
});

test('built again, bundle, licences and SBOM have the same bytes', async () => {
  expect(await bundle()).toEqual(built);
});
