import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIBRARIES } from '../../hack/packages/pack-package.ts';
import { createPublishedManifest, type PackageManifest } from '../../hack/packages/published-manifest.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** To change the list, run `npx vitest run --project unit test/packages/public-names.test.ts --update`. */
const LIST = './public-names.txt';

test('the entry points of the packages export only the values in the list', async () => {
  const lines: string[] = [];
  for (const folder of LIBRARIES) {
    const manifest: PackageManifest = JSON.parse(readFileSync(join(PROJECT, folder, 'package.json'), 'utf8'));
    for (const [path, source] of listEntryPoints(manifest, folder)) {
      const module: object = await import(join(PROJECT, folder, source));
      const entryPoint = join(manifest.name, path);
      lines.push(
        ...Object.keys(module)
          .toSorted()
          .map((name) => `${entryPoint} ${name}`),
      );
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(LIST);
});

/** Omits entry points with side effects, which export nothing, and whose import would change this process. */
function listEntryPoints(manifest: PackageManifest, folder: string): readonly (readonly [string, string])[] {
  const { exports } = createPublishedManifest(manifest, { folder }) as PackageManifest;
  const sideEffects = manifest.sideEffects || [];
  return Object.entries(manifest.exports).filter(([path, source]) => path in exports && !sideEffects.includes(source));
}
