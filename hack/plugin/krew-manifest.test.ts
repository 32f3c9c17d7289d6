/** Rules that krew's own validator does not check; test/clients runs the validator and krew itself. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createKrewManifest } from './krew-manifest.ts';

const archives = ['linux', 'darwin'].flatMap((os) =>
  ['amd64', 'arm64'].map((arch) => ({
    platform: { os, arch },
    uri: `https://x/${os}-${arch}`,
    sha256: 'a'.repeat(64),
  })),
);
const text = createKrewManifest({ version: '1.2.3', homepage: 'https://x', archives });

test('each archive is a platform that runs a file of the archive', () => {
  const { spec } = parse(text);
  expect(spec.version).toBe('v1.2.3');
  expect(spec.platforms.map(({ selector }: { selector: object }) => selector)).toEqual(
    archives.map(({ platform }) => ({ matchLabels: platform })),
  );
  for (const { files, bin } of spec.platforms) expect(files).toContainEqual({ from: bin, to: '.' });
});

test('texts have the widths of the guidelines of krew', () => {
  const { shortDescription, description, caveats } = parse(text).spec;
  expect(shortDescription.length).toBeLessThanOrEqual(50);
  for (const line of `${description}${caveats}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(caveats).toMatch(/\n$/);
});
