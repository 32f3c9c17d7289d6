/**
 * Nodes other than the pinned one, to run the build output on: the versions that it promises to support, and versions that are too old for
 * it.
 */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isExecutable } from '../../../hack/control-plane/binaries-in-env.ts';
import { getCacheFolder } from '../../../hack/control-plane/cache-folder.ts';
import { withLock } from '../../../hack/control-plane/lock.ts';
import { Progress } from '../../../hack/control-plane/progress.ts';
import { run } from '../../../hack/control-plane/run.ts';
import { detectPlatform, NEWEST_NODE_VERSION } from '../../../hack/control-plane/versions.ts';

/** Oldest versions that the packages and the manager support. A test compares them. */
export const OLDEST_NODES = {
  schedule: '20.0.0',
  plugin: '22.19.0',
  runtime: '22.19.0',
  api: '22.19.0',
  manager: '24.0.0',
} as const;
/** The last version of each series that people still have, and the last version before the oldest that kubectl tcj and controller-runtime run on. */
export const TOO_OLD_NODES = ['12.22.12', '14.21.3', '16.20.2', '18.20.8', '20.20.2', '22.18.0'] as const;
export const NODE_VERSIONS = [...Object.values(OLDEST_NODES), ...TOO_OLD_NODES, NEWEST_NODE_VERSION];

/** Path of the Node of this version, `node` in its own folder. npm downloads it when the cache folder does not have it. */
export async function provisionNode(version: string): Promise<string> {
  const folder = join(getCacheFolder(process.env, detectPlatform()), `node-${version}`);
  const node = join(folder, 'node');
  if (isExecutable(node)) return node;
  const step = new Progress().step(`downloading Node ${version} with npm, once for all clones`);
  await withLock(join(folder, 'install.lock'), async () => {
    if (!isExecutable(node)) await download(version, folder);
  });
  step.done();
  return node;
}

async function download(version: string, folder: string): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`;
  const partial = await mkdtemp(join(folder, 'partial-'));
  try {
    const options = ['--no-save', '--ignore-scripts', '--prefix', partial];
    await run('npm', ['install', ...options, `${name}@${version}`]);
    await rename(join(partial, 'node_modules', name, 'bin/node'), join(folder, 'node'));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
