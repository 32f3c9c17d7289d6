/** The manager's image, from the bundle in dist/ and the last stage of the Dockerfile. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { detectPlatform } from '../control-plane/versions.ts';
import { parseFinalStage } from './dockerfile.ts';
import { createImageArchive, type ImageArchive } from './image-archive.ts';
import { getRevision } from './revision.ts';
import { findNodeLicence, listRuntimeFiles } from './runtime-files.ts';
import type { TarEntry } from './tar.ts';

/** Path of the project in the Dockerfile's stage `build`. */
const BUILD_FOLDER = '/src/';
/** Environment of a container when the image does not set it; engines add it themselves, the archive must contain it. */
const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * @param project The project's folder, with the build output in dist/, and node_modules.
 * @param name `name:tag` of the image.
 */
export async function createManagerImage(project: string, name: string): Promise<ImageArchive> {
  const { config, copies } = parseFinalStage(readFileSync(join(project, 'Dockerfile'), 'utf8'), {
    REVISION: getRevision(project),
  });
  return createImageArchive({
    name,
    architecture: detectPlatform().arch,
    config: { ...config, Env: [DEFAULT_PATH, ...config.Env] },
    // The runtime changes with a version of Node, the manager with every commit: they have separate layers.
    layers: [
      listRuntimeFiles(findNodeWithLicence(project).node),
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

/** The Node of the project. A later `npm install` removes its licence from node_modules; then it is fetched again. */
export function findNodeWithLicence(project: string): { readonly node: string; readonly licence: string } {
  const node = realpathSync(join(project, 'node_modules/node/bin/node'));
  if (findNodeLicence(node) === undefined) execFileSync('npm', ['rebuild', 'node'], { cwd: project, stdio: 'pipe' });
  const licence = findNodeLicence(node);
  if (licence !== undefined) return { node, licence };
  throw new Error(
    `cannot find the licence of Node next to ${node}, not even after "npm rebuild node": remove node_modules and run make again`,
  );
}
