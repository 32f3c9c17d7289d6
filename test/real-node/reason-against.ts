/**
 * Whether a real node can run on this machine. When it cannot, the result is one sentence with the reason, and the suites use other
 * clusters.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from '../../hack/control-plane/run.ts';
import { createCgroups, ownHierarchies, removeCgroups } from './cgroups.ts';
import { missingPackages } from './packages.ts';

/** The kubelet and runc use these for accounting and limits. */
const NEEDED_CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'devices', 'freezer', 'blkio'];

/** Why a real node cannot start here; `undefined` when it can. Leaves nothing behind. */
export async function findReasonAgainst(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `a kubelet needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'a kubelet needs root; run this as root, or in a machine of its own';
  const missing = missingPackages(process.env['PATH'] ?? '');
  if (missing.length > 0 && !existsSync('/usr/bin/apt-get')) {
    return `${missing.join(', ')} must be installed, and there is no apt-get to do it with`;
  }
  const controllers = ownHierarchies().flatMap((hierarchy) => hierarchy.controllers);
  const absent = NEEDED_CONTROLLERS.filter((controller) => !controllers.includes(controller));
  if (absent.length > 0) {
    return `control groups of version 1 are needed, and ${absent.join(', ')} are not mounted as such (on version 2 use kind)`;
  }
  if (missing.includes('util-linux') || missing.includes('iproute2')) return undefined; // the trial needs them
  try {
    await tryNamespaces();
  } catch (error) {
    const lines = formatError(error).split('\n');
    return `this machine does not let root make the namespaces of a node: ${lines.at(-1)}`;
  }
  return undefined;
}

/** A sandbox or a container may forbid any of these. An overlay cannot be on top of another overlay. */
async function tryNamespaces(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'node-trial-'));
  const trial = `
    set -e
    mkdir lower upper work merged cgroup
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged
    mount -t cgroup -o memory cgroup cgroup
    umount -R /sys
    mount -t sysfs sysfs /sys
    : </dev/kmsg
    ip link set lo up
    ip link add name trial type bridge
  `;
  const namespaces = ['--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--fork', '--mount-proc'];
  try {
    await removeCgroups(createCgroups(basename(folder), ownHierarchies()));
    await run('unshare', [...namespaces, 'sh', '-c', trial], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The innermost cause: the message of the system. */
function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : formatError(error.cause);
}
