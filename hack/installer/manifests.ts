/** Renders the manifests of config/ with `kubectl kustomize`, the requested image and the requested namespace. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { run } from '../control-plane/run.ts';

/** Name of the image in config/manager/manager.yaml, without a tag. */
const IMAGE_NAME = 'cronjob-operator';

export interface RenderOptions {
  /** Path of kubectl. */
  readonly kubectl: string;
  /** Folder with a kustomization.yaml. */
  readonly overlay: string;
  /** Default: the image in config/manager, whose tag is also the default tag. */
  readonly image?: string | undefined;
  /** Default: the namespace in the overlay. `renderManifests` throws if kustomize cannot replace the namespace everywhere. */
  readonly namespace?: string | undefined;
}

/** Returns YAML documents, in which each object follows the objects that it depends on. Does not change checked-in files. */
export async function renderManifests({ kubectl, overlay, image, namespace }: RenderOptions): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kustomization-')));
  try {
    const kustomization = {
      resources: [relative(folder, await realpath(resolve(overlay)))], // kustomize does not accept an absolute path
      sortOptions: { order: 'legacy' }, // dependencies first, webhooks last
      ...(image !== undefined && { images: [parseImage(image)] }),
      ...(namespace !== undefined && { namespace }),
    };
    // The file is JSON, because a tag such as `no` without quotes is a boolean in YAML.
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const manifests = await run(kubectl, ['kustomize', folder]);
    if (namespace !== undefined) await checkNamespaceReplaced(manifests, { overlay, namespace });
    return manifests;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkNamespaceReplaced(
  manifests: string,
  { overlay, namespace }: { readonly overlay: string; readonly namespace: string },
): Promise<void> {
  const kustomization: unknown = parse(await readFile(join(overlay, 'kustomization.yaml'), 'utf8'));
  const overlayNamespace =
    typeof kustomization === 'object' && kustomization && Reflect.get(kustomization, 'namespace');
  if (typeof overlayNamespace !== 'string' || overlayNamespace === namespace || !manifests.includes(overlayNamespace))
    return;
  throw new Error(
    `cannot set the namespace of ${overlay} to ${namespace}: change "namespace: ${overlayNamespace}" in its kustomization.yaml`,
  );
}

/** Reverses the documents, so that a delete removes an object before the objects that it depends on. */
export function reverseDocuments(manifests: string): string {
  return joinDocuments(splitDocuments(manifests).toReversed());
}

export function removeKind(kind: string, manifests: string): string {
  return joinDocuments(splitDocuments(manifests).filter((document) => !document.split('\n').includes(`kind: ${kind}`)));
}

export function selectDocuments(manifests: string, pattern: RegExp): string {
  return joinDocuments(splitDocuments(manifests).filter((document) => pattern.test(document)));
}

function splitDocuments(manifests: string): readonly string[] {
  return manifests.split(/^---\n/m).filter((document) => document.trim() !== '');
}

function joinDocuments(documents: readonly string[]): string {
  return documents.join('---\n');
}

/** Converts an image such as `host:5000/name:tag@sha256:…` to the image format of kustomize. Only the name is required. */
function parseImage(image: string): object {
  const [reference = '', digest] = image.split('@');
  const [, newName, newTag] = /^([a-z0-9].*?)(?::([^:/]+))?$/.exec(reference) ?? [];
  if (newName === undefined || /\s/.test(image)) throw new Error(`"${image}" is not a valid image name`);
  return {
    name: IMAGE_NAME,
    newName,
    ...(newTag !== undefined && { newTag }),
    ...(digest !== undefined && { digest }),
  };
}
