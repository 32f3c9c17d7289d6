/**
 * Control groups of version 1, one folder in each hierarchy: the node's processes are in a child of our group, so that the groups that the
 * kubelet creates below it can be found and removed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Retries for the removal of a group that is still busy with processes that have just been killed. */
const REMOVE_ATTEMPTS = 100;
const REMOVE_INTERVAL_MS = 50;

/** One mounted hierarchy. */
export interface Hierarchy {
  /** As in `/proc/self/cgroup`: `memory`, `cpu,cpuacct`, `name=systemd`. */
  readonly controllers: readonly string[];
  /** The group of this process. */
  readonly folder: string;
}

/**
 * The hierarchies of version 1 in which this process can create groups.
 *
 * @param membership Content of `/proc/self/cgroup`.
 * @param mounts Content of `/proc/self/mountinfo`.
 */
function hierarchies(membership: string, mounts: string): readonly Hierarchy[] {
  const mounted = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields[fields.indexOf('-') + 1] === 'cgroup')
    .map((fields) => ({ root: fields[3] ?? '/', point: fields[4] ?? '', options: (fields.at(-1) ?? '').split(',') }));
  const found: Hierarchy[] = [];
  for (const line of membership.split('\n')) {
    const [, list = '', ...path] = line.split(':'); // a path may hold colons
    const controllers = list.split(',').filter(Boolean);
    const mount = mounted.find(({ options }) => controllers.every((controller) => options.includes(controller)));
    if (controllers.length === 0 || mount === undefined) continue;
    found.push({ controllers, folder: join(mount.point, relative(mount.root, path.join(':'))) });
  }
  return found;
}

/** The hierarchies of this process. */
export function ownHierarchies(): readonly Hierarchy[] {
  return hierarchies(readFileSync('/proc/self/cgroup', 'utf8'), readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** Creates a group of this name in each hierarchy; returns the folders. */
export function createCgroups(name: string, parents: readonly Hierarchy[]): readonly string[] {
  const created: string[] = [];
  try {
    for (const { controllers, folder } of parents) {
      const group = join(folder, name);
      mkdirSync(group);
      created.push(group);
      if (!controllers.includes('cpuset')) continue;
      // A new group has no processors and no memory, and does not accept a process before it has.
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        writeFileSync(join(group, file), readFileSync(join(folder, file)));
    }
  } catch (error) {
    for (const group of created) rmdirSync(group);
    throw new Error(`make the control group ${name}`, { cause: error });
  }
  return created;
}

/** Removes the groups and all below them. They must not hold a process, except one that is just ending. */
export async function removeCgroups(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (let attempt = 1; existsSync(folder); attempt++) {
      try {
        removeTree(folder);
      } catch (error) {
        if (attempt === REMOVE_ATTEMPTS) throw new Error(`remove the control group ${folder}`, { cause: error });
        await sleep(REMOVE_INTERVAL_MS);
      }
    }
  }
}

/** The files in a group cannot be deleted; they are removed with their folder. */
function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  }
  rmdirSync(folder);
}
