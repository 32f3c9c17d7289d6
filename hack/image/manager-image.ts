/** Builds the image of the manager from the bundle in dist/ and the last stage of the Dockerfile. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectPlatform } from '../control-plane/versions.ts';
import { parseFinalStage } from './dockerfile.ts';
import { type Architecture, downloadRuntime } from './download-runtime.ts';
import { createImageArchive, type ImageArchive } from './image-archive.ts';
import { getRevision } from './revision.ts';
import { findNodeLicence, findNodeRuntime, listRuntimeFiles, type NodeRuntime } from './runtime-files.ts';
import type { TarEntry } from './tar.ts';

/** Path of the project in the stage `build` of the Dockerfile. */
const BUILD_FOLDER = '/src/';
/** The default `PATH` of containers. The archive must contain this variable, because only an engine would add it. */
const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface ImagePlatform {
  /** In Go's notation: `arm64`. */
  readonly architecture: string;
  readonly runtime: NodeRuntime;
}

/**
 * @param project Folder of the project, with dist/ and node_modules.
 * @param name `name:tag` of the image.
 * @param platform Default: this machine, with the Node of the project.
 */
export async function createManagerImage(
  project: string,
  name: string,
  { architecture, runtime }: ImagePlatform = {
    architecture: detectPlatform().arch,
    runtime: findNodeRuntime(findNodeWithLicence(project).node),
  },
): Promise<ImageArchive> {
  const { config, copies } = parseFinalStage(readFileSync(join(project, 'Dockerfile'), 'utf8'), {
    REVISION: getRevision(project),
  });
  return createImageArchive({
    name,
    architecture,
    config: { ...config, Env: [DEFAULT_PATH, ...config.Env] },
    // The runtime and the manager have separate layers, because the manager changes more often.
    layers: [
      listRuntimeFiles(runtime),
      copies.map(({ from, to }): TarEntry => {
        if (!from.startsWith(BUILD_FOLDER)) throw new Error(`Dockerfile: ${from} is not below ${BUILD_FOLDER}`);
        return {
          kind: 'file',
          path: to.slice(1),
          content: readFileSync(join(project, from.slice(BUILD_FOLDER.length))),
        };
      }),
    ],
  });
}

/** Builds the image of a release: as {@link createManagerImage}, with a Node and libraries that are downloaded. */
export async function createReleaseImage(
  project: string,
  name: string,
  architecture: Architecture,
): Promise<ImageArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'runtime-'));
  try {
    const runtime = await downloadRuntime(architecture, folder);
    return await createManagerImage(project, name, { architecture, runtime });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the Node of the project and its licence. Installs the licence again if an `npm install` has removed it from node_modules. */
export function findNodeWithLicence(project: string): { readonly node: string; readonly licence: string } {
  const node = realpathSync(join(project, 'node_modules/node/bin/node'));
  if (findNodeLicence(node) === undefined) execFileSync('npm', ['rebuild', 'node'], { cwd: project, stdio: 'pipe' });
  const licence = findNodeLicence(node);
  if (licence !== undefined) return { node, licence };
  throw new Error(
    `cannot find the licence of Node next to ${node}, not even after "npm rebuild node": remove node_modules and run make again`,
  );
}
