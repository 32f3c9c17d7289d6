import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { createImageArchive, type Image } from './image-archive.ts';

const IMAGE: Image = {
  name: 'example.test/name:1.2',
  architecture: 'arm64',
  config: { Env: ['A=1'], Entrypoint: ['/program'], User: '65532:65532' },
  layers: [
    [{ kind: 'file', path: 'below', content: Buffer.from('below') }],
    [{ kind: 'file', path: 'program', content: Buffer.from('program'), mode: 0o755 }],
  ],
};

/** The archive's files, and the content behind a digest in it. */
async function unpackArchive() {
  const folder = createTemporaryFolder();
  const { content } = await createImageArchive(IMAGE);
  execFileSync('tar', ['--extract', '--file=-', `--directory=${folder}`], { input: content });
  const file = (path: string) => readFileSync(join(folder, path));
  const blob = ({ digest, size }: { digest: string; size: number }) => {
    const blobContent = file(`blobs/${digest.replace(':', '/')}`);
    expect({
      digest: `sha256:${createHash('sha256').update(blobContent).digest('hex')}`,
      size: blobContent.length,
    }).toEqual({
      digest,
      size,
    });
    return blobContent;
  };
  return { file, blob, json: (content: Buffer) => JSON.parse(content.toString()) };
}

test('is an OCI image layout: index, manifest, configuration and layers, each with its digest', async () => {
  const { file, blob, json } = await unpackArchive();
  expect(json(file('oci-layout'))).toEqual({ imageLayoutVersion: '1.0.0' });
  const { manifests } = json(file('index.json'));
  expect(manifests).toMatchObject([
    {
      platform: { architecture: 'arm64', os: 'linux' },
      annotations: { 'io.containerd.image.name': IMAGE.name, 'org.opencontainers.image.ref.name': '1.2' },
    },
  ]);
  const manifest = json(blob(manifests[0]));
  const layers: Buffer[] = manifest.layers.map((layer: { digest: string; size: number }) => gunzipSync(blob(layer)));
  expect(json(blob(manifest.config))).toEqual({
    created: '1970-01-01T00:00:00Z',
    architecture: 'arm64',
    os: 'linux',
    config: IMAGE.config,
    rootfs: {
      type: 'layers',
      diff_ids: layers.map((layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
    },
  });
  const names = layers.map((input) => execFileSync('tar', ['--list', '--file=-'], { input, encoding: 'utf8' }));
  expect(names).toEqual(['below\n', 'program\n']);
});

test('is a Docker archive of the same blobs', async () => {
  const { file, blob, json } = await unpackArchive();
  const { manifests } = json(file('index.json'));
  const { config, layers } = json(blob(manifests[0]));
  const path = ({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`;
  expect(json(file('manifest.json'))).toEqual([
    { Config: path(config), RepoTags: [IMAGE.name], Layers: layers.map(path) },
  ]);
});

test.each([
  ['localhost/name:1', true],
  ['registry.example/name:1', true],
  ['registry:5000/name:1', true],
  ['name:1', false],
  ['team/name:1', false],
])('an image with the name %s is an OCI layout: %s', async (name, want) => {
  const { content } = await createImageArchive({ ...IMAGE, name });
  const files = execFileSync('tar', ['--list', '--file=-'], { input: content, encoding: 'utf8' }).trim().split('\n');
  expect(files.includes('oci-layout')).toBe(want);
  expect(files.includes('index.json')).toBe(want);
  expect(files).toContain('manifest.json');
});

test('two builds have the same bytes', async () => {
  const first = await createImageArchive(IMAGE);
  const second = await createImageArchive({ ...IMAGE, layers: IMAGE.layers.map((layer) => layer.toReversed()) });
  expect(second.content.equals(first.content)).toBe(true);
});
