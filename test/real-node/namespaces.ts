/** The namespaces of a node: all its changes end with them, and they end with their PID 1. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ManagedProcess } from '../cluster/managed-process.ts';
import type { Reaper } from '../cluster/reaper.ts';
import { createCgroups, ownHierarchies, removeCgroups } from './cgroups.ts';

export interface NamespacesOptions {
  /** On a file system that supports overlays, not below /run. */
  readonly folder: string;
  readonly nodeName: string;
  readonly nodeAddress: string;
  readonly serviceRange: string;
  readonly reaper: Reaper;
  readonly signal?: AbortSignal | undefined;
}

export class Namespaces {
  /** PID 1 of the node, in the machine's numbering. */
  readonly pid: number;
  readonly #folder: string;
  readonly #unshare: ManagedProcess;
  readonly #cgroups: readonly string[];

  private constructor(folder: string, pid: number, unshare: ManagedProcess, cgroups: readonly string[]) {
    this.#folder = folder;
    this.pid = pid;
    this.#unshare = unshare;
    this.#cgroups = cgroups;
  }

  /** Leaves nothing behind when it throws. */
  static async create(options: NamespacesOptions): Promise<Namespaces> {
    const { folder, nodeName, nodeAddress, serviceRange, reaper, signal } = options;
    const cgroups = createCgroups(`${basename(folder)}-${randomBytes(4).toString('hex')}`, ownHierarchies());
    for (const cgroup of cgroups) reaper.removeCgroup(cgroup);
    writeFileSync(join(folder, 'cgroups'), cgroups.map((cgroup) => `${cgroup}\n`).join(''));
    const init = [readScript('init.sh'), folder, nodeName, nodeAddress, serviceRange];
    const unshare = new ManagedProcess({
      name: 'namespaces',
      command: readScript('unshare.sh'),
      args: [folder, ...init],
      logFile: join(folder, 'log', 'namespaces.log'),
      reaper,
    });
    try {
      await unshare.waitUntil('ready', async () => existsSync(join(folder, 'namespaces-ready')), { signal });
      const pid = findOnlyChild(unshare.pid);
      writeFileSync(join(folder, 'pid'), String(pid));
      return new Namespaces(folder, pid, unshare, cgroups);
    } catch (error) {
      await unshare.kill();
      await removeCgroups(cgroups);
      throw error;
    }
  }

  /** A program with arguments that runs the command after them in the node. */
  get enter(): readonly string[] {
    return [readScript('enter.sh'), this.#folder];
  }

  /** Kills every process of the node; the kernel then removes its mounts and links. */
  async destroy(): Promise<void> {
    await this.#unshare.kill();
    await removeCgroups(this.#cgroups);
  }
}

function readScript(name: string): string {
  return join(import.meta.dirname, name);
}

/** unshare has one child: PID 1 of the new namespace. */
function findOnlyChild(pid: number | undefined): number {
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  if (!Number.isInteger(child) || child <= 0) throw new Error(`process ${pid} has no single child`);
  return child;
}
