/** The manager's image, from the bundle in dist/ and the last stage of the Dockerfile. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { thisPlatform } from '../control-plane/versions.ts';
import { finalStage } from './dockerfile.ts';
import { type ImageArchive, imageArchive } from './image-archive.ts';
import { revision } from './revision.ts';
import { nodeLicence, runtimeFiles } from './runtime-files.ts';
import type { Entry } from './ustar.ts';

/** Path of the project in the Dockerfile's stage `build`. */
const BUILD_FOLDER = '/src/';
/** Environment of a container when the image does not set it; engines add it themselves, the archive must contain it. */
const SEARCH_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * @param project The project's folder, with the build output in dist/, and node_modules.
 * @param name `name:tag` of the image.
 */
export async function managerImage(project: string, name: string): Promise<ImageArchive> {
  const { config, copies } = finalStage(readFileSync(join(project, 'Dockerfile'), 'utf8'), {
    REVISION: revision(project),
  });
  return imageArchive({
    name,
    architecture: thisPlatform().arch,
    config: { ...config, Env: [SEARCH_PATH, ...config.Env] },
    // The runtime changes with a version of Node, the manager with every commit: they have separate layers.
    layers: [
      runtimeFiles(nodeWithLicence(project).node),
      copies.map(({ from, to }): Entry => {
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
export function nodeWithLicence(project: string): { readonly node: string; readonly licence: string } {
  const node = realpathSync(join(project, 'node_modules/node/bin/node'));
  if (nodeLicence(node) === undefined) execFileSync('npm', ['rebuild', 'node'], { cwd: project, stdio: 'pipe' });
  const licence = nodeLicence(node);
  if (licence !== undefined) return { node, licence };
  throw new Error(
    `the licence of Node is not next to ${node}, and npm rebuild node does not bring it: remove node_modules and run make again`,
  );
}
