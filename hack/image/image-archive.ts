/**
 * Writes an image to a file, without a daemon. The file is both an OCI image layout and a Docker archive. `docker load`, `podman load`,
 * `ctr images import`, `kind load image-archive` and skopeo accept the file.
 *
 * If the name of the image has no registry, the file is only a Docker archive. The kubelet needs names with a registry, and containerd adds
 * the default registry only to names in a Docker archive.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTar, type TarEntry } from './tar.ts';

const compress = promisify(gzip);

/** The configuration of an image, with the field names of the OCI image specification. */
export interface ImageConfig {
  readonly Env: readonly string[];
  /** The command, to which the `args` of a Pod are appended. */
  readonly Entrypoint?: readonly string[];
  /** The default of the `args` of a Pod. */
  readonly Cmd?: readonly string[];
  readonly User?: string;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface Image {
  /** `name:tag`, with or without a registry. */
  readonly name: string;
  /** Architecture in Go's notation: `amd64`. */
  readonly architecture: string;
  readonly config: ImageConfig;
  /** Files of each layer, the lowest layer first. */
  readonly layers: readonly (readonly TarEntry[])[];
}

export interface ImageArchive {
  readonly content: Buffer;
  /** Size of the files, in bytes. */
  readonly uncompressedSize: number;
  /** Size of the compressed layers, as a registry stores them, in bytes. */
  readonly compressedSize: number;
}

/** Returns the archive. The archives of two builds are identical if the zlib of Node is the same. */
export async function createImageArchive({ name, architecture, config, layers }: Image): Promise<ImageArchive> {
  const blobs = new Map<string, Buffer>();
  const addBlob = (mediaType: string, content: Buffer) => {
    const hash = computeSha256(content);
    blobs.set(`blobs/sha256/${hash}`, content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  };
  const archives = await Promise.all(layers.map(createTar));
  const compressedLayers = await Promise.all(archives.map((archive) => compress(archive, { level: 6 })));
  const layerRefs = compressedLayers.map((layer) => addBlob('application/vnd.oci.image.layer.v1.tar+gzip', layer));
  const configRef = addBlob(
    'application/vnd.oci.image.config.v1+json',
    toJson({
      created: '1970-01-01T00:00:00Z',
      architecture,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: archives.map((archive) => `sha256:${computeSha256(archive)}`) },
    }),
  );
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = { schemaVersion: 2, mediaType: manifestType, config: configRef, layers: layerRefs };
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.split(':').at(-1),
  };
  const manifestRef = {
    ...addBlob(manifestType, toJson(manifest)),
    platform: { architecture, os: 'linux' },
    annotations,
  };
  const files = new Map([
    ...blobs,
    ...(hasRegistry(name) ? createOciLayout(manifestRef) : []),
    [
      'manifest.json',
      toJson([
        {
          Config: getBlobPath(configRef.digest),
          RepoTags: [name],
          Layers: layerRefs.map((ref) => getBlobPath(ref.digest)),
        },
      ]),
    ],
  ]);
  return {
    content: await createTar([...files].map(([path, content]) => ({ kind: 'file', path, content }))),
    uncompressedSize: archives.reduce((sum, archive) => sum + archive.length, 0),
    compressedSize: compressedLayers.reduce((sum, layer) => sum + layer.length, 0),
  };
}

/** Returns whether the first part of a name is a host. */
function hasRegistry(name: string): boolean {
  return /^(localhost|[^/]*[.:][^/]*)\//.test(name);
}

function createOciLayout(manifestRef: object): readonly (readonly [string, Buffer])[] {
  return [
    ['oci-layout', toJson({ imageLayoutVersion: '1.0.0' })],
    ['index.json', toJson({ schemaVersion: 2, manifests: [manifestRef] })],
  ];
}

function getBlobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function computeSha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
